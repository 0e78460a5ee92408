-- Every document that a search lists or that was clicked, how often, and whether `known_documents`
-- has it.
SELECT
    told.doc_id,
    COUNT(*) AS times,
    CASE WHEN told.doc_id IN (SELECT doc_id FROM known_documents) THEN 1 ELSE 0 END AS known
FROM (
    SELECT unnest(retrieved_doc_ids) AS doc_id FROM searches
    UNION ALL
    SELECT doc_id FROM interactions WHERE kind = 'click'
) AS told
WHERE told.doc_id IS NOT NULL
GROUP BY told.doc_id
