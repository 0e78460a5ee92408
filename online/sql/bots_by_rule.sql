-- Flagged sessions and their searches by rule; a session that meets two rules is in both.
SELECT rule, COUNT(*) AS sessions, SUM(searches) AS searches
FROM bots
GROUP BY rule
