-- The ten flagged sessions with the most searches, with a row for each rule that they meet.
SELECT bots.session_id, rule, bots.searches, user_id, session_given, began, ended
FROM bots
JOIN (
    SELECT session_id, MAX(searches) AS searches
    FROM bots
    GROUP BY session_id
    ORDER BY searches DESC, session_id
    LIMIT 10
) AS largest ON largest.session_id = bots.session_id
ORDER BY bots.searches DESC, bots.session_id, rule
