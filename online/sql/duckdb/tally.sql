-- How many rows came to what: one row of counts.
SELECT
    (SELECT COUNT(*) FROM accepted) AS accepted,
    COUNT(*) FILTER (verdict IN ('known', 'identical')) AS duplicate,
    COUNT(*) FILTER (verdict = 'identical') AS identical
FROM dropped
