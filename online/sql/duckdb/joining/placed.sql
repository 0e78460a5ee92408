-- Things that happened, as rows of `interactions`, beside what the notes ask of them. Reads `happened`
-- and `written`, the searches that are written.
SELECT coalesce(written.timestamp, row_at) AS timestamp, search_key,
    CASE WHEN written.timestamp IS NULL THEN own_session_id ELSE written.session_id END
        AS session_id,
    written.model_version, kind, doc_id, "rank",
    place_of(retrieved_doc_ids, results_offset, "rank", doc_id) AS position,
    occurred_at, happened.dwell_s, "value",
    CAST(coalesce(written.timestamp, row_at) AS DATE) AS date,
    written.timestamp IS NOT NULL AS joined, action, happened.search_id, happened.user_id,
    happened.event_id, happened.row_key, happened.extra, own_session_id, happened.line,
    retrieved_doc_ids IS NOT NULL AS is_listed, results_offset
FROM happened LEFT JOIN written USING (search_key)
