-- Sessions that behave as no person does, one row a session and rule.
-- Reads `judged`: session_id, user_id, given (1: a session of the log), query, n_clicks, began
-- (microseconds since 1970), declared (1: the user agent names a crawler), one row a search.
-- The limits are those of online/bots.py, with their reasons.
WITH whole AS (
    SELECT session_id, COUNT(*) AS searches, MIN(user_id) AS user_id, MAX(given) AS given,
        MIN(began) AS began, MAX(began) AS ended, SUM(declared) AS declared
    FROM judged
    GROUP BY session_id
),
paces AS (
    SELECT session_id,
        began - LAG(began, 29) OVER (PARTITION BY session_id ORDER BY began) AS thirty_took
    FROM judged
    WHERE session_id IN (SELECT session_id FROM whole WHERE searches >= 30)
),
repeated AS (
    SELECT session_id
    FROM judged
    WHERE session_id IN (SELECT session_id FROM whole WHERE searches >= 50)
    GROUP BY session_id, query
    HAVING COUNT(*) >= 50 AND SUM(n_clicks) = 0
),
flagged AS (
    SELECT session_id, 'declared' AS rule FROM whole WHERE 2 * declared >= searches
    UNION ALL
    SELECT session_id, 'too_fast' FROM paces WHERE thirty_took <= 60000000 GROUP BY session_id
    UNION ALL
    SELECT session_id, 'too_many' FROM whole WHERE searches >= 500
    UNION ALL
    SELECT session_id, 'endless' FROM whole WHERE ended - began > 86400000000
    UNION ALL
    SELECT session_id, 'canned' FROM repeated GROUP BY session_id
)
SELECT flagged.session_id, flagged.rule, whole.searches, whole.user_id, whole.given, whole.began,
    whole.ended
FROM flagged JOIN whole ON whole.session_id = flagged.session_id
