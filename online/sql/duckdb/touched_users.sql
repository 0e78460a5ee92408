-- Users whose sessions an import may change: of its searches without a session, and of those
-- without one that it replaces. Reads `new_searches` and `lake_searches` (see online/sessions.py).
SELECT user_id FROM new_searches WHERE session_given IS NOT TRUE AND user_id <> ''
UNION
SELECT user_id FROM lake_searches
WHERE session_given IS NOT TRUE AND user_id <> ''
    AND search_key IN (SELECT search_key FROM new_searches WHERE in_lake)
