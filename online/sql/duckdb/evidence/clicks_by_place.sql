-- How many clicks there are at each place of what was shown.
WITH places AS (
    SELECT unnest(clicked) AS place, searches FROM lists
    UNION ALL
    SELECT place, 1 FROM seen_docs WHERE is_clicked = 1
)
SELECT place, CAST(SUM(searches) AS BIGINT) AS clicks
FROM places
GROUP BY place
