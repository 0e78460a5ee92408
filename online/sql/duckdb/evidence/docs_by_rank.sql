-- The documents at the ranks of clicks that name no document.
SELECT DISTINCT things.search_key, things."rank",
    retrieved_doc_ids[things."rank" - before] AS doc_id, things."rank" - before AS place
FROM things INNER JOIN placed USING (search_key)
WHERE kind = 'click' AND things.doc_id IS NULL AND things."rank" > before
    AND retrieved_doc_ids[things."rank" - before] IS NOT NULL
