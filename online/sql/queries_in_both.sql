-- The queries of both `queries` and `queries_before`, and how many searches the poorer period has.
SELECT
    queries.group_key,
    queries.spellings,
    queries.searches,
    queries_before.searches AS searches_before,
    LEAST(queries.searches, queries_before.searches) AS fewer
FROM queries
INNER JOIN queries_before ON queries.group_key = queries_before.group_key
