-- Per query and document: in how many of the repeated visits it was shown, and in how many clicked.
WITH happened AS (
    SELECT group_id, doc_id, visit, 1 AS is_shown, is_clicked
    FROM shown_docs
    WHERE visit IS NOT NULL
    UNION ALL
    SELECT group_id, doc_id, visit, 0 AS is_shown, 1 AS is_clicked
    FROM off_list
    WHERE visit IS NOT NULL
),
visits AS (
    SELECT group_id, doc_id, visit, MAX(is_shown) AS is_shown, MAX(is_clicked) AS is_clicked
    FROM happened
    GROUP BY group_id, doc_id, visit
)
SELECT
    group_id,
    doc_id,
    CAST(SUM(is_shown) AS BIGINT) AS sessions,
    CAST(SUM(is_clicked) AS BIGINT) AS clicked_sessions
FROM visits
GROUP BY group_id, doc_id
