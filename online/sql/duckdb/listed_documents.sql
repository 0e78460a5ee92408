-- Every document that searches list or that was clicked, in how many searches, and whether
-- `known_documents` has it. A document counts once a search: a click on what the search lists, the
-- first one or a later one, adds nothing. A click with a position is one on what its search lists.
SELECT
    told.doc_id,
    COUNT(*) AS times,
    CASE WHEN told.doc_id IN (SELECT doc_id FROM known_documents) THEN 1 ELSE 0 END AS known
FROM (
    SELECT unnest(list_distinct(retrieved_doc_ids)) AS doc_id FROM searches
    UNION ALL
    SELECT clicked.doc_id
    FROM (
        SELECT DISTINCT search_key, doc_id
        FROM interactions
        WHERE kind = 'click' AND doc_id IS NOT NULL AND position IS NULL
    ) AS clicked
    LEFT JOIN searches ON clicked.search_key = searches.search_key
    WHERE NOT COALESCE(list_contains(searches.retrieved_doc_ids, clicked.doc_id), FALSE)
) AS told
WHERE told.doc_id IS NOT NULL
GROUP BY told.doc_id
