-- The clicks of new searches: a native line holds at most one, and no time of its own.
SELECT
    timestamp,
    search_key,
    session_id,
    model_version,
    'click' AS kind,
    best_click_doc_id AS doc_id,
    best_click_rank AS rank,
    best_click_position AS position,
    CAST(NULL AS TIMESTAMPTZ) AS occurred_at,
    dwell_s,
    CAST(NULL AS DOUBLE) AS value,
    date
FROM accepted
WHERE n_clicks > 0
