-- Of each measure, over the pairs that have it: how many, hits, what they are out of, and the squares
-- that its prior is made of; hits^2 / total rounded to parts of 1e-6. Expected clicks are in parts of
-- 1e-9, of which `units` make one. Pairs with more clicks than impressions are in no prior.
WITH measured AS (
    SELECT 'ctr' AS measure, 1.0 AS units, shown_clicks AS hits, impressions AS total
    FROM pairs
    WHERE clicks <= impressions
    UNION ALL
    SELECT 'sdbn', 1.0, shown_clicks, examined
    FROM pairs
    WHERE clicks <= impressions
    UNION ALL
    SELECT 'satisfaction', 1.0, last_clicks, shown_clicks
    FROM pairs
    WHERE clicks <= impressions
    UNION ALL
    SELECT 'coec', 1000000000.0, shown_clicks, expected_parts
    FROM pairs
    WHERE clicks <= impressions
)
SELECT
    measure,
    COUNT(*) AS pairs,
    SUM(hits) AS hits,
    SUM(total) AS total,
    SUM(CASE WHEN units = 1.0 THEN total * total ELSE 0 END) AS total_squared,
    SUM(CAST(FLOOR(
        1000000 * CAST(units AS DOUBLE) * (CAST(hits AS DOUBLE) * hits / total) + 0.5
    ) AS BIGINT)) AS hits_squared_by_total
FROM measured
WHERE total > 0
GROUP BY measure
