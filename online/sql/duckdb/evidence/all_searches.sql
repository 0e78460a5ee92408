-- Searches and those that strays make. As strays are among the clicks that a search counts, where it was
-- clicked is always looked up.
SELECT search_key, timestamp, date, query, session_id, model_version, tags, retrieved_doc_ids,
    results_offset, n_clicks, n_ranked_clicks, CAST(NULL AS INTEGER) AS best_click_position
FROM searches
UNION ALL BY NAME
FROM stray_searches
