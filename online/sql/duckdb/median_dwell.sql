-- Per group of `selected`: the exact median dwell time in seconds, where one was logged.
SELECT group_key, median(dwell_s) AS median_dwell_s
FROM selected
WHERE dwell_s IS NOT NULL
GROUP BY group_key
