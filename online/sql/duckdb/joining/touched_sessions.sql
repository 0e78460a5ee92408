-- The sessions that this import changes, as online/bots.py asks for them: those of searches that are
-- new or written again, and those that these had before.
SELECT DISTINCT session_id FROM accepted
UNION ALL
SELECT DISTINCT session_id FROM written
UNION ALL
SELECT session_id FROM held_searches
UNION ALL
SELECT session_id FROM moved_sessions
UNION ALL
SELECT session_id FROM lake_searches SEMI JOIN moved_sessions USING (search_key)
