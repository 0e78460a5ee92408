-- How many queries and searches there are in `queries`, and how many searches were clicked.
SELECT
    COUNT(*) AS queries,
    COALESCE(CAST(SUM(searches) AS BIGINT), 0) AS searches,
    COALESCE(CAST(SUM(clicked) AS BIGINT), 0) AS clicked
FROM queries
