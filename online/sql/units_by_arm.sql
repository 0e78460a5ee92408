-- Per arm of `assigned`: the units that count, and their searches.
SELECT model_version, COUNT(DISTINCT unit_id) AS units, COUNT(*) AS searches
FROM assigned
WHERE unit_id IS NOT NULL AND unit_id NOT IN (SELECT unit_id FROM crossing)
GROUP BY model_version
