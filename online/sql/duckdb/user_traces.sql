-- Which searches a user is named in: by the search, or by anything that happened in it.
-- Reads the views `searches` and `interactions` and the variable `user`. Rows with a search_id
-- belong together by it; others only with what has the same time, too.
WITH named AS (
    SELECT search_key, search_id, timestamp, user_id, extra FROM searches
    UNION ALL
    SELECT search_key, search_id, timestamp, user_id, extra FROM interactions
)
SELECT DISTINCT search_key, search_id IS NOT NULL AS by_id, timestamp
FROM named
WHERE user_id = getvariable('user')
    -- Lakes of before the column keep it in `extra`.
    OR json_extract_string(extra, '$.user_id') = getvariable('user')
    OR json_extract_string(extra, '$.client_id') = getvariable('user')
