-- Clicks and impressions; `is_waiting`: those of searches that are not known.
SELECT search_key, kind, doc_id, "rank", position, model_version, timestamp, date,
    joined IS FALSE AS is_waiting
FROM interactions
WHERE kind IN ('click', 'impression')
