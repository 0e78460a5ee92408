-- Per group of `paired`: the sums over sessions of y and x, for the delta method; sessions without x
-- are not among them.
WITH sessions AS (
    SELECT group_key, session_id, SUM(y) AS y, SUM(x) AS x
    FROM paired
    GROUP BY group_key, session_id
)
SELECT
    group_key,
    COUNT(*) AS sessions,
    SUM(y) AS y,
    SUM(x) AS x,
    SUM(y * y) AS y_y,
    SUM(x * x) AS x_x,
    SUM(y * x) AS y_x
FROM sessions
WHERE x > 0
GROUP BY group_key
