-- The queries of `busiest`, most searches first, and how many there are in all.
SELECT group_key, searches, spellings, (SELECT COUNT(*) FROM queries) AS queries
FROM busiest
ORDER BY searches DESC, group_key
