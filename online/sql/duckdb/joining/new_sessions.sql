-- The sessions of new searches, as online/bots.py asks for them. Plain rows without a session of the
-- log name no user and no user agent: each is a session of its own, which no rule can meet.
SELECT DISTINCT session_id FROM accepted WHERE session_given
