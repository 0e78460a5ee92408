-- What online/sessions.py gives where no search needs it: the columns it reads, and no row.
SELECT search_key, timestamp, session_id FROM drafted WHERE FALSE
