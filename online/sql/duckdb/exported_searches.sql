-- The searches of a day as a table to take away: the keys of the native log shape first, so that an
-- import reads them again, then what the lake made of them (online/columns.py).
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
        -- An action of a search with an id has a row of its own, which the import reads.
        any_value(action) FILTER (kind = 'other' AND search_id IS NULL) AS action
    FROM day_interactions
    WHERE kind IN ('click', 'conversion', 'impression', 'other') AND joined IS DISTINCT FROM FALSE
    GROUP BY search_key, timestamp
)
SELECT timestamp, query, session_id, user_id, model_version, retrieved_doc_ids,
    results_offset AS "offset", clicks, conversions, impressions, action, search_id, event_id, tags, total_hits,
    latency_ms, n_results IS NOT NULL AS results_logged,
    -- Not "dwell_s": to an import that is the dwell of the row's one click.
    dwell_s AS longest_dwell_s,
    day_searches.* EXCLUDE (dwell_s, timestamp, query, session_id, user_id, model_version,
        retrieved_doc_ids, results_offset, search_id, event_id, tags, total_hits, latency_ms)
FROM day_searches LEFT JOIN things USING (search_key, timestamp)
ORDER BY timestamp, search_key
