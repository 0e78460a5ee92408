-- Per query, without regard to how it is typed: what `texts` counts, and in how many spellings.
SELECT
    group_key,
    COUNT(*) AS spellings,
    CAST(SUM(searches) AS BIGINT) AS searches,
    CAST(SUM(clicked) AS BIGINT) AS clicked,
    CAST(SUM(empty) AS BIGINT) AS empty
FROM spellings
GROUP BY group_key
