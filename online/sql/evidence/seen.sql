-- What searches logged as shown, and at which rank; of several ranks in one search the upper.
SELECT
    placed.search_key,
    placed.group_id,
    placed.visit,
    things.doc_id,
    MIN(COALESCE(things."rank", placed.before + things.position)) AS "rank"
FROM things
INNER JOIN placed ON things.search_key = placed.search_key
WHERE things.kind = 'impression' AND things.doc_id IS NOT NULL
    AND COALESCE(things."rank", placed.before + things.position) IS NOT NULL
GROUP BY placed.search_key, placed.group_id, placed.visit, things.doc_id
