-- Per query and two documents: in how many searches one was clicked that stood below the other, which
-- was not. Of searches that log impressions, and of lists.
WITH lower_and_upper AS (
    SELECT group_id, searches, lower_doc, unnest(upper_docs) AS upper_doc
    FROM (
        SELECT group_id, searches, listed[place] AS lower_doc,
            list_filter(listed[1:place - 1], lambda doc_id, above:
                doc_id IS NOT NULL AND NOT list_contains(clicked, above)) AS upper_docs
        FROM (SELECT group_id, searches, listed, clicked, unnest(clicked) AS place FROM lists)
    )
    UNION ALL
    SELECT lower.group_id, 1, lower.doc_id, upper.doc_id
    FROM seen AS lower INNER JOIN clicked_docs AS clicks
            ON lower.search_key = clicks.search_key AND lower.doc_id = clicks.doc_id
        INNER JOIN seen AS upper
            ON lower.search_key = upper.search_key AND upper."rank" < lower."rank"
        LEFT JOIN clicked_docs AS not_clicked
            ON upper.search_key = not_clicked.search_key AND upper.doc_id = not_clicked.doc_id
    WHERE not_clicked.search_key IS NULL
),
summed AS (
    SELECT group_id, lower_doc AS preferred, upper_doc AS over, CAST(SUM(searches) AS BIGINT) AS times
    FROM lower_and_upper
    GROUP BY ALL
)
SELECT group_key, preferred, over, times
FROM summed INNER JOIN (SELECT DISTINCT group_id, group_key FROM query_groups) USING (group_id)
