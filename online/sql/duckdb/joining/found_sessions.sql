-- Sessions of searches that are written, made up of what their users did.
SELECT search_key, session_id FROM sessions_found SEMI JOIN new_searches USING (search_key)
