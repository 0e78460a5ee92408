-- The session of each search that has none of its own, where it differs from what its row says.
-- Reads `activity`, `user_sessions` and `new_searches` (see online/sessions.py).
SELECT search_key, timestamp, 'user:' || user_id || ':' || session_began AS session_id
FROM activity JOIN user_sessions USING (user_id, half_hour)
WHERE session_id IS DISTINCT FROM 'user:' || user_id || ':' || session_began
UNION ALL
SELECT search_key, timestamp, 'search:' || search_key
FROM new_searches
WHERE session_given IS NOT TRUE AND coalesce(user_id, '') = ''
    AND session_id IS DISTINCT FROM 'search:' || search_key
