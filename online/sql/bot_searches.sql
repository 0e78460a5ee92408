-- Per group of `selected`: how many searches stand in sessions of `bots`.
SELECT group_key, COUNT(*) AS searches
FROM selected
WHERE session_id IN (SELECT session_id FROM bots)
GROUP BY group_key
