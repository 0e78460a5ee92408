-- Sessions that behave as no person does, one row a session and rule.
-- Reads `judged` and the table `suspects` (of suspects.sql): most sessions are none, so that few
-- searches are sorted. The limits are those of online/bots.py, with their reasons.
WITH paces AS (
    SELECT session_id,
        began - LAG(began, 29) OVER (PARTITION BY session_id ORDER BY began) AS thirty_took
    FROM judged
    WHERE session_id IN (SELECT session_id FROM suspects WHERE searches >= 30)
),
repeated AS (
    SELECT session_id
    FROM judged
    WHERE session_id IN (SELECT session_id FROM suspects WHERE searches >= 50)
    GROUP BY session_id, query
    HAVING COUNT(*) >= 50 AND SUM(n_clicks) = 0
),
flagged AS (
    SELECT session_id, 'declared' AS rule FROM suspects WHERE 2 * declared >= searches
    UNION ALL
    SELECT session_id, 'too_fast' FROM paces WHERE thirty_took <= 60000000 GROUP BY session_id
    UNION ALL
    SELECT session_id, 'too_many' FROM suspects WHERE searches >= 500
    UNION ALL
    SELECT session_id, 'endless' FROM suspects WHERE ended - began > 86400000000
    UNION ALL
    SELECT session_id, 'canned' FROM repeated GROUP BY session_id
)
SELECT flagged.session_id, flagged.rule, suspects.searches, suspects.user_id, suspects.given,
    suspects.began, suspects.ended
FROM flagged JOIN suspects ON suspects.session_id = flagged.session_id
