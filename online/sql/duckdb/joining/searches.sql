-- `heads` and what happened in them, as rows of `searches`; a session made up of a user's searches
-- comes from `found_sessions`, results that no row tells from `shown`.
WITH listed AS (
    SELECT heads.* REPLACE (coalesce(heads.retrieved_doc_ids, shown.retrieved_doc_ids)
            AS retrieved_doc_ids,
        CASE WHEN heads.retrieved_doc_ids IS NULL THEN shown.results_offset
            ELSE heads.results_offset END AS results_offset),
        CASE WHEN heads.retrieved_doc_ids IS NULL AND shown.search_key IS NOT NULL THEN TRUE END
            AS results_joined
    FROM heads LEFT JOIN shown USING (search_key)
)
SELECT heads.timestamp, search_key, event_id, query,
    coalesce(own_session_id, counted.session_id, found_sessions.session_id, made_session_id)
        AS session_id,
    coalesce(own_session_id, counted.session_id) IS NOT NULL AS session_given,
    CASE WHEN own_session_id IS NULL AND counted.session_id IS NOT NULL THEN TRUE END
        AS session_joined,
    model_version, retrieved_doc_ids, CAST(list_count(retrieved_doc_ids) AS INTEGER) AS n_results,
    CAST(coalesce(n_clicks, 0) AS INTEGER) AS n_clicks,
    CAST(coalesce(n_ranked_clicks, 0) AS INTEGER) AS n_ranked_clicks,
    CAST(coalesce(n_top_clicks, 0) AS INTEGER) AS n_top_clicks,
    best_click_rank, first_click_rank, best_click_doc_id,
    place_of(retrieved_doc_ids, results_offset, best_click_rank, best_click_doc_id)
        AS best_click_position,
    CAST(CASE WHEN counted.n_conversions > 0 THEN counted.n_conversions
        WHEN heads.n_conversions IS NOT NULL THEN 0 END AS INTEGER) AS n_conversions,
    counted.dwell_s, extra, zone_assumed, line, search_id, row_key, user_id, tags, results_offset,
    total_hits, latency_ms,
    CASE WHEN first_click_at >= heads.timestamp
        THEN (epoch_us(first_click_at) - epoch_us(heads.timestamp)) / 1000000 END AS first_click_s,
    conversion_value,
    CASE WHEN greatest(counted.active_until, last_row_at) > heads.timestamp
        THEN greatest(counted.active_until, last_row_at) END AS active_until,
    last_row_at, results_joined, CAST(heads.timestamp AS DATE) AS date
FROM listed AS heads LEFT JOIN counted USING (search_key) LEFT JOIN found_sessions USING (search_key)
