-- How many rows came to what: one row of counts.
SELECT
    (SELECT COUNT(*) FROM accepted)
        + (SELECT COUNT(*) FROM wide WHERE line NOT IN (SELECT line FROM dropped))
        + (SELECT COUNT(*) FROM later WHERE line NOT IN (SELECT line FROM dropped)) AS accepted,
    COUNT(*) FILTER (verdict IN ('known', 'identical')) AS duplicate,
    COUNT(*) FILTER (verdict = 'identical') AS identical
FROM dropped
