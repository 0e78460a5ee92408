-- Of each measure, over the pairs that have it: how many, hits, what they are out of, and the squares
-- that its prior is made of; hits^2 / of rounded to parts of 1e-6. Expected clicks are in parts of 1e-9.
WITH measured AS (
    SELECT 'ctr' AS measure, shown_clicks AS hits, impressions AS total, impressions AS size
    FROM pairs
    WHERE clicks <= impressions
    UNION ALL
    SELECT 'sdbn', shown_clicks, examined, examined
    FROM pairs
    WHERE clicks <= impressions
    UNION ALL
    SELECT 'satisfaction', last_clicks, shown_clicks, shown_clicks
    FROM pairs
    WHERE clicks <= impressions
    UNION ALL
    SELECT 'coec', shown_clicks, expected_parts, 0
    FROM pairs
    WHERE clicks <= impressions
)
SELECT
    measure,
    COUNT(*) AS pairs,
    SUM(hits) AS hits,
    SUM(total) AS total,
    SUM(size * size) AS total_squared,
    SUM(CAST(FLOOR(
        1000000.0 * hits * hits / (total * CASE WHEN measure = 'coec' THEN 0.000000001 ELSE 1.0 END)
        + 0.5
    ) AS BIGINT)) AS hits_squared_by_total
FROM measured
WHERE total > 0
GROUP BY measure
