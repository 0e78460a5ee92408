-- The searches that are written, as online/sessions.py asks for them.
SELECT heads.search_key, heads.timestamp, user_id,
    coalesce(own_session_id, counted.session_id, made_session_id) AS session_id,
    coalesce(own_session_id, counted.session_id) IS NOT NULL AS session_given,
    greatest(counted.active_until, last_row_at) AS active_until, in_lake
FROM heads LEFT JOIN counted USING (search_key)
