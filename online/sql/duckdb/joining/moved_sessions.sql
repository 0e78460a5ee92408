-- Searches of the lake that nothing is joined to, but whose session is another one now.
SELECT search_key, session_id, CAST(timestamp AS DATE) AS date
FROM sessions_found ANTI JOIN new_searches USING (search_key)
