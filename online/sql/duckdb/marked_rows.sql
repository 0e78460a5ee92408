-- The rows of `present` (searches or interactions), each with `erased`: whether it goes with a user.
-- Reads `traces` (of user_traces.sql) and the macros of user_macros.sql.
SELECT *, names_user(user_id, extra)
    OR (search_key IS NULL AND holds_user(extra) AND NOT names_another(user_id, extra))
    OR coalesce(search_id IS NOT NULL
        AND search_key IN (SELECT search_key FROM traces WHERE by_id), FALSE)
    OR coalesce((search_key, timestamp) IN (SELECT (search_key, timestamp) FROM traces), FALSE)
    AS erased
FROM present
