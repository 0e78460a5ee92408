-- The other searches of days that are written again.
SELECT of_days.* REPLACE (coalesce(moved_sessions.session_id, of_days.session_id) AS session_id)
FROM searches_of_days AS of_days LEFT JOIN moved_sessions USING (search_key)
WHERE search_id IS NULL OR search_key NOT IN (SELECT search_key FROM held)
