-- The same of what searches logged as shown: places count from the first one shown.
WITH told AS (
    SELECT
        seen.search_key,
        seen.group_id,
        seen.visit,
        seen.doc_id,
        seen."rank",
        CASE WHEN clicked_docs.search_key IS NULL THEN 0 ELSE 1 END AS is_clicked
    FROM seen
    LEFT JOIN clicked_docs
        ON seen.search_key = clicked_docs.search_key AND seen.doc_id = clicked_docs.doc_id
),
bounds AS (
    SELECT
        search_key,
        MIN("rank") - 1 AS before,
        MAX(CASE WHEN is_clicked = 1 THEN "rank" END) AS last_rank
    FROM told
    GROUP BY search_key
)
SELECT
    told.group_id,
    told.doc_id,
    told."rank",
    told."rank" - bounds.before AS place,
    repeated_visits.visit,
    1 AS searches,
    told.is_clicked,
    bounds.last_rank - bounds.before AS last_place
FROM told
INNER JOIN bounds ON told.search_key = bounds.search_key
LEFT JOIN repeated_visits ON told.visit = repeated_visits.visit
