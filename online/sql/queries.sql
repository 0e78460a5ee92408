-- Per query, without regard to how it is typed: what `texts` counts, and in how many spellings.
SELECT
    spellings.group_key,
    COUNT(*) AS spellings,
    CAST(SUM(texts.searches) AS BIGINT) AS searches,
    CAST(SUM(texts.clicked) AS BIGINT) AS clicked,
    CAST(SUM(texts.empty) AS BIGINT) AS empty
FROM texts
INNER JOIN spellings ON texts.query = spellings.query
GROUP BY spellings.group_key
