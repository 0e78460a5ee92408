-- What was clicked in the searches that do not tell it by themselves, or whose impressions are `seen`:
-- each document once, with its place in the list (NULL: outside of it), how many clicks it had, and how
-- many of them without rank. A click that names a rank alone is one on the document there.
WITH told AS (
    SELECT search_key, group_id, visit, retrieved_doc_ids, before
    FROM placed
    WHERE is_clicked AND (NOT is_plain OR search_key IN (SELECT search_key FROM seen))
),
clicks AS (
    SELECT told.*, things.doc_id, things."rank", coalesce(things.position,
        CASE WHEN things.doc_id IS NULL AND things."rank" > before
                AND retrieved_doc_ids[things."rank" - before] IS NOT NULL
            THEN things."rank" - before END) AS place
    FROM things INNER JOIN told USING (search_key)
    WHERE kind = 'click'
)
SELECT search_key, group_id, visit, coalesce(doc_id, retrieved_doc_ids[place]) AS doc_id,
    MIN(place) AS place, COUNT(*) AS events, COUNT(*) - COUNT("rank") AS unranked
FROM clicks
GROUP BY ALL
