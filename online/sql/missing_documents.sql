-- The documents that the log tells of most often, of those that are not known.
SELECT doc_id, times
FROM listed_documents
WHERE known = 0
ORDER BY times DESC, doc_id
LIMIT 5
