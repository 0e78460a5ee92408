-- Per group of `measured`: the sums over sessions of how many values there are (x), and how many are
-- under (below) and not above (up_to) the median, which stands in `quantiles`.
WITH sessions AS (
    SELECT
        measured.group_key,
        measured.session_id,
        COUNT(*) AS x,
        COUNT(CASE WHEN measured.measure < quantiles.median THEN 1 END) AS below,
        COUNT(CASE WHEN measured.measure <= quantiles.median THEN 1 END) AS up_to
    FROM measured
    INNER JOIN quantiles ON measured.group_key = quantiles.group_key
    GROUP BY measured.group_key, measured.session_id
)
SELECT
    group_key,
    COUNT(*) AS sessions,
    SUM(x) AS x,
    SUM(x * x) AS x_x,
    SUM(below) AS below,
    SUM(below * below) AS below_below,
    SUM(below * x) AS below_x,
    SUM(up_to) AS up_to,
    SUM(up_to * up_to) AS up_to_up_to,
    SUM(up_to * x) AS up_to_x
FROM sessions
GROUP BY group_key
