-- The rows of searches that have several, each as it was logged. A search that had one row so far is
-- that row; one of several has left each of them as a page, in whose `extra` it stands.
WITH pages AS (
    SELECT *, from_json(extra, '{"query":"VARCHAR","model_version":"VARCHAR",
        "retrieved_doc_ids":["VARCHAR"],"offset":"INTEGER","tags":["VARCHAR"],"total_hits":"BIGINT",
        "latency_ms":"DOUBLE","conversions_told":"BOOLEAN","zone_assumed":"BOOLEAN",
        "line":"BIGINT","further":"VARCHAR"}') AS row
    FROM held_interactions SEMI JOIN several USING (search_key)
    WHERE kind = 'page'
)
SELECT search_key, search_id, row_key, timestamp, event_id, user_id,
    CASE WHEN session_given THEN session_id END AS own_session_id, query, model_version,
    retrieved_doc_ids, results_offset, tags, total_hits, latency_ms, n_conversions,
    extra AS further, zone_assumed, line, line AS new_line
FROM wide ANTI JOIN dropped USING (line) SEMI JOIN several USING (search_key)
UNION ALL
SELECT search_key, search_id, row_key, timestamp, event_id, user_id,
    CASE WHEN session_given AND session_joined IS NOT TRUE THEN session_id END, query,
    model_version, CASE WHEN results_joined IS NOT TRUE THEN retrieved_doc_ids END,
    CASE WHEN results_joined IS NOT TRUE THEN results_offset END, tags, total_hits, latency_ms,
    CASE WHEN n_conversions = 0 THEN 0 END, extra, zone_assumed, line, NULL
FROM held_searches SEMI JOIN several USING (search_key)
WHERE last_row_at IS NULL
UNION ALL
SELECT search_key, search_id, row_key, occurred_at, event_id, user_id, own_session_id, row['query'],
    row['model_version'], row['retrieved_doc_ids'], row['offset'], row['tags'], row['total_hits'], row['latency_ms'],
    CASE WHEN row['conversions_told'] THEN 0 END, row['further'], row['zone_assumed'], row['line'], NULL
FROM pages
