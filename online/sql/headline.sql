-- Per group of `selected` and rank of the best-ranked click (NULL: no click, or none with a rank):
-- how many searches, and what happened in them.
SELECT
    group_key,
    best_click_rank,
    COUNT(*) AS searches,
    SUM(CASE WHEN n_clicks > 0 AND n_ranked_clicks = 0 THEN 1 ELSE 0 END) AS clicked_without_rank,
    COUNT(n_conversions) AS conversions_logged,
    COUNT(dwell_s) AS dwells_logged,
    SUM(CASE WHEN COALESCE(first_click_rank, 0) <> COALESCE(best_click_rank, 0) THEN 1 ELSE 0 END)
        AS first_click_elsewhere
FROM selected
GROUP BY group_key, best_click_rank
