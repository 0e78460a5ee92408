-- What was clicked in the searches that do not tell it by themselves, or whose impressions are `seen`:
-- each document once, with its place in the list (NULL: outside of it), how many clicks it had, and how
-- many of them without rank. A click that names a rank alone is one on the document there.
WITH told AS (
    SELECT search_key, group_id, visit
    FROM placed
    WHERE is_clicked AND (NOT is_plain OR search_key IN (SELECT search_key FROM seen))
)
SELECT
    told.search_key,
    told.group_id,
    told.visit,
    COALESCE(things.doc_id, docs_by_rank.doc_id) AS doc_id,
    MIN(COALESCE(things.position, docs_by_rank.place)) AS place,
    COUNT(*) AS events,
    COUNT(*) - COUNT(things."rank") AS unranked
FROM things
INNER JOIN told ON things.search_key = told.search_key
LEFT JOIN docs_by_rank
    ON things.search_key = docs_by_rank.search_key AND things."rank" = docs_by_rank."rank"
        AND things.doc_id IS NULL
WHERE things.kind = 'click'
GROUP BY told.search_key, told.group_id, told.visit, COALESCE(things.doc_id, docs_by_rank.doc_id)
