-- Sessions that a rule of bots.sql may be met by, as far as a count and two times tell.
-- Reads `judged`: session_id, user_id, given (1: a session of the log), query, n_clicks, began
-- (microseconds since 1970), declared (1: the user agent names a crawler), one row a search.
SELECT session_id, COUNT(*) AS searches, MIN(user_id) AS user_id, MAX(given) AS given,
    MIN(began) AS began, MAX(began) AS ended, SUM(declared) AS declared
FROM judged
GROUP BY session_id
HAVING COUNT(*) >= 30 OR 2 * SUM(declared) >= COUNT(*) OR MAX(began) - MIN(began) > 86400000000
