-- The searches of a day as a table to take away: the keys of the native log shape first, so that an
-- other tools read them, then what the lake made of them (online/columns.py). `told` is what an import
-- here reads again: all that happened, by the rows of the log that told it.
-- Reads `day_searches` and `day_interactions`.
WITH things AS (
    SELECT search_key, timestamp,
        list({'doc_id': doc_id, 'rank': rank, 'timestamp': occurred_at, 'dwell_s': dwell_s}
            ORDER BY occurred_at, rank, doc_id) FILTER (kind = 'click') AS clicks,
        list({'doc_id': doc_id, 'rank': rank, 'timestamp': occurred_at, 'value': value,
            'action': action} ORDER BY occurred_at, rank, doc_id)
            FILTER (kind = 'conversion') AS conversions,
        list({'doc_id': doc_id, 'rank': rank, 'timestamp': occurred_at}
            ORDER BY occurred_at, rank, doc_id) FILTER (kind = 'impression') AS impressions,
        -- An action of a search with an id has a row of its own.
        any_value(action) FILTER (kind = 'other' AND search_id IS NULL) AS action,
        list({'row_key': row_key, 'kind': kind, 'doc_id': doc_id, 'rank': rank,
            'occurred_at': occurred_at, 'dwell_s': dwell_s, 'value': value, 'action': action,
            'user_id': user_id, 'event_id': event_id, 'own_session_id': own_session_id,
            'extra': extra} ORDER BY row_key, kind, occurred_at, rank, doc_id) AS told
    FROM day_interactions
    WHERE joined IS DISTINCT FROM FALSE
    GROUP BY search_key, timestamp
)
SELECT timestamp, query, session_id, user_id, model_version, retrieved_doc_ids,
    results_offset AS "offset", clicks, conversions, impressions, action, search_id, event_id, tags, total_hits,
    latency_ms, n_results IS NOT NULL AS results_logged,
    -- Not "dwell_s": to an import that is the dwell of the row's one click.
    dwell_s AS longest_dwell_s,
    day_searches.* EXCLUDE (dwell_s, timestamp, query, session_id, user_id, model_version,
        retrieved_doc_ids, results_offset, search_id, event_id, tags, total_hits, latency_ms),
    told
FROM day_searches LEFT JOIN things USING (search_key, timestamp)
ORDER BY timestamp, search_key
