-- What those users did without a session of the log: the rows that sessions.sql makes sessions of.
-- Reads `new_searches`, `lake_searches` (see online/sessions.py) and `touched_users`.
WITH searches_of_both AS (
    SELECT search_key, timestamp, user_id, session_id, active_until
    FROM new_searches
    WHERE session_given IS NOT TRUE AND user_id <> ''
    UNION ALL
    SELECT search_key, timestamp, user_id, session_id, active_until
    FROM lake_searches
    WHERE session_given IS NOT TRUE AND user_id IN (SELECT user_id FROM touched_users)
        AND search_key NOT IN (SELECT search_key FROM new_searches WHERE in_lake)
)
SELECT search_key, timestamp, user_id, session_id,
    epoch_us(timestamp) AS began,
    epoch_us(timestamp) // 1800000000 AS half_hour,
    CASE
        WHEN epoch_us(active_until) - epoch_us(timestamp) BETWEEN 0 AND 7200000000
            THEN epoch_us(active_until)
        ELSE epoch_us(timestamp)
    END AS active_until
FROM searches_of_both
