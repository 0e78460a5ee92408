-- Per group of `selected`: the sums over sessions of what the delta method needs.
-- A reciprocal rank is counted in millionths, rounded, so that every sum is an integer.
WITH sessions AS (
    SELECT
        group_key,
        session_id,
        COUNT(*) AS n,
        SUM(CASE WHEN n_clicks > 0 THEN 1 ELSE 0 END) AS clicked,
        SUM(CASE WHEN n_results = 0 THEN 1 ELSE 0 END) AS empty,
        SUM(CASE WHEN n_conversions > 0 THEN 1 ELSE 0 END) AS converted,
        SUM(CASE WHEN best_click_rank IS NULL THEN 0
            ELSE CAST(ROUND(1000000.0 / best_click_rank) AS BIGINT) END) AS reciprocal,
        SUM(n_ranked_clicks) AS ranked,
        SUM(n_top_clicks) AS top
    FROM selected
    GROUP BY group_key, session_id
)
SELECT
    group_key,
    COUNT(*) AS sessions,
    SUM(n) AS n,
    SUM(n * n) AS n_n,
    SUM(clicked) AS clicked,
    SUM(clicked * clicked) AS clicked_clicked,
    SUM(clicked * n) AS clicked_n,
    SUM(empty) AS empty,
    SUM(empty * empty) AS empty_empty,
    SUM(empty * n) AS empty_n,
    SUM(converted) AS converted,
    SUM(converted * converted) AS converted_converted,
    SUM(converted * n) AS converted_n,
    SUM(reciprocal) AS reciprocal,
    SUM(CAST(reciprocal AS DECIMAL(38, 0)) * reciprocal) AS reciprocal_reciprocal,
    SUM(reciprocal * n) AS reciprocal_n,
    SUM(ranked) AS ranked,
    SUM(ranked * ranked) AS ranked_ranked,
    SUM(top) AS top,
    SUM(top * top) AS top_top,
    SUM(top * ranked) AS top_ranked
FROM sessions
GROUP BY group_key
