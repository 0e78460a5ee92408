-- Clicks and impressions with the query text that their own row names, as events of UBI do.
SELECT search_key, kind, doc_id, "rank", position, session_id, model_version, timestamp, date,
    joined IS FALSE AS is_waiting,
    CASE WHEN search_id IS NOT NULL THEN json_extract_string(extra, '$.user_query') END AS query,
    json_extract_string(extra, '$.application') AS application
FROM interactions
WHERE kind IN ('click', 'impression')
