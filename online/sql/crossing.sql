-- How many units of `assigned` were seen in both arms, and how many searches are left out with them.
SELECT COUNT(DISTINCT unit_id) AS units, COUNT(*) AS searches
FROM assigned
WHERE unit_id IN (SELECT unit_id FROM crossing)
