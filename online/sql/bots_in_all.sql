-- Flagged sessions and their searches, each once, beside all that there are.
SELECT flagged.sessions AS sessions, flagged.searches AS searches,
    everything.sessions AS all_sessions, everything.searches AS all_searches
FROM (
    SELECT COUNT(*) AS sessions, SUM(searches) AS searches
    FROM (SELECT session_id, MAX(searches) AS searches FROM bots GROUP BY session_id) AS once
) AS flagged
CROSS JOIN (
    SELECT COUNT(DISTINCT session_id) AS sessions, COUNT(*) AS searches FROM searches
) AS everything
