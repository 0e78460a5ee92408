-- Per group of `spellings`, which is a query without regard to how it is typed: how many searches,
-- and in how many spellings.
SELECT group_key, CAST(SUM(searches) AS BIGINT) AS searches, COUNT(*) AS spellings
FROM spellings
GROUP BY group_key
