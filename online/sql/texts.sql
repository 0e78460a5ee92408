-- Per query of `selected`, as it was typed: how many searches, and what happened in them.
SELECT
    query,
    COUNT(*) AS searches,
    COUNT(CASE WHEN n_clicks > 0 THEN 1 END) AS clicked,
    COUNT(CASE WHEN n_results = 0 THEN 1 END) AS empty
FROM selected
GROUP BY query
