-- The sessions that this import changes, as online/bots.py asks for them: those of searches that are
-- new or written again, and those that these had before. Plain rows without a session of the log name
-- no user and no user agent: each is a session of its own, which no rule can meet.
SELECT session_id FROM accepted WHERE session_given
UNION
SELECT session_id FROM written
UNION
SELECT session_id FROM held_searches
UNION
SELECT session_id FROM moved_sessions
UNION
SELECT session_id FROM lake_searches SEMI JOIN moved_sessions USING (search_key)
