-- How many searches each model version made.
SELECT model_version, COUNT(*) AS searches
FROM selected
GROUP BY model_version
