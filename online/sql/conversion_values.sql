-- Per group of `selected`: the sum of the values of conversions, to the ten thousandth, and how many
-- are no amounts (1e15 and more) and left out.
SELECT
    group_key,
    SUM(CASE WHEN ABS(conversion_value) < 1e15 THEN CAST(conversion_value AS DECIMAL(38, 4)) END)
        AS conversion_value,
    COUNT(CASE WHEN ABS(conversion_value) >= 1e15 THEN 1 END) AS values_left_out
FROM selected
WHERE conversion_value IS NOT NULL
GROUP BY group_key
