-- The searches that bots.sql judges. Reads `searches_after` (see online/bots.py) and the variable
-- `crawlers`. A search that is a session of its own is judged only where it names a user agent.
WITH searched AS (
    SELECT session_id, user_id, session_given, query, n_clicks, timestamp,
        CASE WHEN contains(extra, '"user_agent"')
            THEN lower(json_extract_string(extra, '$.user_agent')) END AS user_agent
    FROM searches_after
),
told_apart AS (
    SELECT * FROM searched
    WHERE session_given OR user_agent IS NOT NULL OR NOT starts_with(session_id, 'search:')
)
SELECT session_id, user_id, query, n_clicks,
    CAST(coalesce(session_given, FALSE) AS INTEGER) AS given,
    epoch_us(timestamp) AS began,
    CAST(coalesce(regexp_matches(user_agent, getvariable('crawlers')), FALSE) AS INTEGER) AS declared
FROM told_apart
