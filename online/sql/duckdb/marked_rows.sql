-- The rows of `present` (searches or interactions), each with `erased`: whether it goes with a user.
-- Reads `traces` (of user_traces.sql) and the variable `user`.
SELECT *, coalesce(
        user_id = getvariable('user')
        OR json_extract_string(extra, '$.user_id') = getvariable('user')
        OR json_extract_string(extra, '$.client_id') = getvariable('user'), FALSE)
    OR coalesce(search_id IS NOT NULL
        AND search_key IN (SELECT search_key FROM traces WHERE by_id), FALSE)
    OR coalesce((search_key, timestamp) IN (SELECT (search_key, timestamp) FROM traces), FALSE)
    AS erased
FROM present
