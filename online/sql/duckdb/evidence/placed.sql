-- The searches of `selected` by query group. A visit is the searches of one session for one query: of
-- ten million, two of a query have one hash once in a million logs. `is_plain`: all that clicks tell
-- stands in the search, which has one, on a listed document.
SELECT search_key, group_id, hash(group_id, coalesce(session_id, CAST(search_key AS VARCHAR))) AS visit,
    retrieved_doc_ids, coalesce(results_offset, 0) AS before, n_clicks > 0 AS is_clicked,
    CASE WHEN n_clicks = 1 THEN best_click_position END AS plain_place,
    n_clicks = 1 AND best_click_position IS NOT NULL AS is_plain,
    n_clicks - n_ranked_clicks AS unranked_clicks
FROM selected INNER JOIN query_groups USING (query)
