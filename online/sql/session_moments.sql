-- Per group of `selected`: the sums over sessions of what the delta method needs.
-- Every sum is an integer, so that all engines give the same: a reciprocal rank is counted in parts
-- of 1/2520, which is exact for ranks 1 to 10 and rounded behind. COUNT(CASE …) takes a third of
-- the memory of SUM(CASE …) for each session.
WITH sessions AS (
    SELECT
        group_key,
        session_id,
        COUNT(*) AS n,
        COUNT(CASE WHEN n_clicks > 0 THEN 1 END) AS clicked,
        COUNT(CASE WHEN n_results = 0 THEN 1 END) AS empty,
        COUNT(CASE WHEN n_conversions > 0 THEN 1 END) AS converted,
        CAST(SUM(CASE WHEN best_click_rank IS NULL THEN 0
            ELSE CAST(FLOOR(2520.0 / best_click_rank + 0.5) AS INTEGER) END) AS BIGINT)
            AS reciprocal,
        CAST(SUM(n_ranked_clicks) AS BIGINT) AS ranked,
        CAST(SUM(n_top_clicks) AS BIGINT) AS top
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
    SUM(reciprocal * reciprocal) AS reciprocal_reciprocal,
    SUM(reciprocal * n) AS reciprocal_n,
    SUM(ranked) AS ranked,
    SUM(ranked * ranked) AS ranked_ranked,
    SUM(top) AS top,
    SUM(top * top) AS top_top,
    SUM(top * ranked) AS top_ranked
FROM sessions
GROUP BY group_key
