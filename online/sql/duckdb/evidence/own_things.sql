-- Clicks and impressions as events.sql gives them, strays in the searches that they make.
SELECT coalesce(stray_key, search_key) AS search_key, kind, doc_id, "rank",
    CASE WHEN stray_key IS NULL THEN position END AS position, model_version, timestamp, date,
    is_waiting AND stray_key IS NULL AS is_waiting
FROM own_events
