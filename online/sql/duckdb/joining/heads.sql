-- The searches that are written, new ones and those of the lake that something is joined to, but for
-- what follows from the things that happened in them. Reads `wide`, `held_searches` and `merged`.
SELECT timestamp, search_key, event_id, query,
    CASE WHEN session_given THEN session_id END AS own_session_id, session_id AS made_session_id,
    model_version, retrieved_doc_ids, n_conversions, extra, zone_assumed, line, search_id, row_key,
    user_id, tags, results_offset, total_hits, latency_ms, CAST(NULL AS TIMESTAMPTZ) AS last_row_at,
    FALSE AS in_lake
FROM wide ANTI JOIN dropped USING (line) ANTI JOIN several USING (search_key)
UNION ALL
SELECT timestamp, search_key, event_id, query,
    CASE WHEN session_given AND session_joined IS NOT TRUE THEN session_id END, session_id,
    model_version, CASE WHEN results_joined IS NOT TRUE THEN retrieved_doc_ids END, n_conversions,
    extra, zone_assumed, line, search_id, row_key, user_id, tags,
    CASE WHEN results_joined IS NOT TRUE THEN results_offset END, total_hits, latency_ms,
    last_row_at, TRUE
FROM held_searches ANTI JOIN several USING (search_key)
UNION ALL
SELECT timestamp, search_key, event_id, query, session_id, 'search:' || search_key,
    model_version, retrieved_doc_ids, n_conversions, extra, zone_assumed, line, search_id, row_key,
    user_id, tags, results_offset, total_hits, latency_ms, last_row_at, is_held
FROM merged JOIN several USING (search_key)
