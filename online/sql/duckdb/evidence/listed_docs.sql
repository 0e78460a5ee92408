-- A row for each document of each of `lists`: where it stood, whether it was clicked there, and the
-- place of the last click, the lowest one (NULL: none).
WITH unnested AS (
    SELECT group_id, before, visit, searches, clicked, list_max(clicked) AS last_place,
        unnest(listed) AS doc_id, generate_subscripts(listed, 1) AS place
    FROM lists
)
SELECT group_id, doc_id, before + place AS "rank", place, visit, searches,
    CASE WHEN list_contains(clicked, place) THEN 1 ELSE 0 END AS is_clicked, last_place
FROM unnested
WHERE doc_id IS NOT NULL
