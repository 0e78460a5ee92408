-- All things that happened in the searches that are written: told by this log (`line` is its row), or
-- held by the lake. The variable `shift` moves the ranks of this log.
WITH new AS (
    SELECT line, search_key, search_id, row_key, timestamp AS row_at, event_id, user_id,
        own_session_id, extra, is_later, unnest(things, recursive := TRUE)
    FROM told ANTI JOIN dropped USING (line)
)
SELECT line, search_key, search_id, row_key, row_at, event_id, user_id, own_session_id, kind, doc_id,
    "rank" + getvariable('shift') AS "rank",
    coalesce(instant, CASE WHEN is_later THEN row_at END) AS occurred_at,
    dwell_s, "value", action,
    CASE WHEN extra IS NULL THEN further WHEN further IS NULL THEN extra
        ELSE CAST(json_merge_patch(extra, further) AS VARCHAR) END AS extra
FROM new
UNION ALL
SELECT NULL, search_key, search_id, row_key, timestamp, event_id, user_id, own_session_id, kind,
    doc_id, "rank", occurred_at, dwell_s, "value", action, extra
FROM held_interactions
WHERE kind <> 'page' OR search_key NOT IN (SELECT search_key FROM several)
UNION ALL
SELECT new_line, search_key, search_id, row_key, timestamp, event_id, user_id, own_session_id, 'page',
    NULL, NULL, timestamp, NULL, NULL, NULL,
    CAST(to_json({'query': query, 'model_version': model_version,
        'retrieved_doc_ids': retrieved_doc_ids, 'offset': results_offset, 'tags': tags,
        'total_hits': total_hits, 'latency_ms': latency_ms,
        'conversions_told': n_conversions IS NOT NULL, 'zone_assumed': zone_assumed, 'line': line,
        'further': further}) AS VARCHAR)
FROM leaves
