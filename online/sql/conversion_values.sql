-- Per group of `selected`: the sum of the values of conversions, to the ten thousandth.
SELECT group_key, SUM(CAST(conversion_value AS DECIMAL(38, 4))) AS conversion_value
FROM selected
WHERE conversion_value IS NOT NULL
GROUP BY group_key
