-- What was kept but is odd, in rows.
SELECT
    -- The range lets Parquet's statistics rule most row groups out unread.
    (SELECT COUNT(*) FROM accepted WHERE query < '!' AND trim(query) = '') AS empty_query,
    (SELECT COUNT(*) FROM accepted WHERE timestamp > getvariable('tomorrow')) AS future_time,
    COUNT(*) FILTER (NOT session_given) AS no_session,
    COUNT(*) FILTER (n_clicks > 0 AND best_click_position IS NULL) AS off_list,
    COUNT(*) FILTER (best_click_rank <> best_click_position) AS rank_mismatch,
    COUNT(*) FILTER (n_clicks > n_ranked_clicks) AS click_without_rank,
    COUNT(*) FILTER (getvariable('shift') > 0 AND n_ranked_clicks > 0) AS ranks_shifted,
    COUNT(*) FILTER (extra IS NOT NULL) AS further_keys,
    COUNT(*) FILTER (zone_assumed) AS zone_assumed
FROM accepted
