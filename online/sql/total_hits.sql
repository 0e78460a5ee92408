-- How many searches say how many documents matched, and the most of these.
SELECT
    COUNT(total_hits) AS searches_with_hits,
    MAX(total_hits) AS most_hits
FROM searches
