-- The units of `assigned` that were seen in both arms, and their searches.
SELECT unit_id, COUNT(*) AS searches
FROM assigned
WHERE unit_id IS NOT NULL
GROUP BY unit_id
HAVING MIN(treated) <> MAX(treated)
