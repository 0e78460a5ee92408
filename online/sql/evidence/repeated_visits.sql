-- Visits with more than one search: of all others, what the search shows one session saw.
SELECT visit
FROM placed
GROUP BY visit
HAVING COUNT(*) > 1
