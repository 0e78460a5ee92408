-- Per group of `selected`: counts of searches and of what happened in them.
SELECT
    group_key,
    COUNT(*) AS searches,
    SUM(CASE WHEN n_clicks > 0 AND n_ranked_clicks = 0 THEN 1 ELSE 0 END) AS clicked_without_rank,
    COUNT(n_conversions) AS conversions_logged,
    COUNT(dwell_s) AS dwells_logged
FROM selected
GROUP BY group_key
