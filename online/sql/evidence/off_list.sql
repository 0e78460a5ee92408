-- Clicks on documents that their search is not known to have shown, one row a search and document.
SELECT
    clicked_docs.group_id,
    clicked_docs.doc_id,
    clicked_docs.visit AS any_visit,
    repeated_visits.visit
FROM clicked_docs
LEFT JOIN seen
    ON clicked_docs.search_key = seen.search_key AND clicked_docs.doc_id = seen.doc_id
LEFT JOIN repeated_visits ON clicked_docs.visit = repeated_visits.visit
WHERE clicked_docs.doc_id IS NOT NULL AND seen.search_key IS NULL
    AND (clicked_docs.place IS NULL OR clicked_docs.search_key IN (SELECT search_key FROM seen))
