-- The searches that strays make: their query and ranks are told, a list is not.
SELECT stray_key AS search_key, MIN(timestamp) AS timestamp, MIN(date) AS date, MIN(query) AS query,
    coalesce(MIN(session_id), 'search:' || stray_key) AS session_id,
    coalesce(MIN(model_version), nullif(MIN(application), ''), 'unknown') AS model_version,
    any_value(tags) AS tags, CAST(NULL AS VARCHAR[]) AS retrieved_doc_ids,
    CAST(NULL AS INTEGER) AS results_offset, count_if(kind = 'click') AS n_clicks,
    count_if(kind = 'click' AND "rank" IS NOT NULL) AS n_ranked_clicks,
    CAST(NULL AS INTEGER) AS best_click_position
FROM own_events
WHERE stray_key IS NOT NULL
GROUP BY stray_key
