-- How many units were seen in both arms, and how many searches are left out with them.
SELECT COUNT(*) AS units, SUM(searches) AS searches
FROM crossing
