-- The other interactions of days that are written again.
SELECT of_days.* REPLACE (CASE WHEN joined IS NOT FALSE
    THEN coalesce(moved_sessions.session_id, of_days.session_id) ELSE of_days.session_id END
    AS session_id)
FROM interactions_of_days AS of_days LEFT JOIN moved_sessions USING (search_key)
WHERE search_id IS NULL OR search_key IS NULL
    OR search_key NOT IN (SELECT search_key FROM touched)
