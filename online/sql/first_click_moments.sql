-- Per group of `selected`: sums over sessions of the reciprocal rank of the first click, in parts of
-- 1/2520 as in session_moments.sql.
WITH sessions AS (
    SELECT
        group_key,
        session_id,
        COUNT(*) AS n,
        CAST(SUM(CASE WHEN first_click_rank IS NULL THEN 0
            ELSE CAST(FLOOR(2520.0 / first_click_rank + 0.5) AS INTEGER) END) AS BIGINT)
            AS reciprocal
    FROM selected
    GROUP BY group_key, session_id
)
SELECT
    group_key,
    COUNT(*) AS sessions,
    SUM(n) AS n,
    SUM(n * n) AS n_n,
    SUM(reciprocal) AS reciprocal,
    SUM(reciprocal * reciprocal) AS reciprocal_reciprocal,
    SUM(reciprocal * n) AS reciprocal_n
FROM sessions
GROUP BY group_key
