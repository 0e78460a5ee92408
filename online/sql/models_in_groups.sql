-- Which model versions have searches in each group of `selected`.
SELECT group_key, model_version
FROM selected
GROUP BY group_key, model_version
