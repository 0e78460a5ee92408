-- Do ranks within lists count from 0? One row: `zeros`, rows with a rank 0; `votes`, ranked clicks on
-- a listed document; `from_zero`, those whose rank is its place in all results, less one. A click
-- that is told later is compared with each list that its search has in this log.
WITH clicks AS (
    SELECT line, search_key, is_later, unnest(things, recursive := TRUE) FROM told
),
ranked AS (
    SELECT * FROM clicks WHERE kind = 'click' AND "rank" IS NOT NULL AND doc_id IS NOT NULL
),
listings AS (
    SELECT line, search_key, retrieved_doc_ids, coalesce(results_offset, 0) AS before FROM wide
),
compared AS (
    SELECT ranked.line, search_key, doc_id, "rank",
        CASE WHEN retrieved_doc_ids["rank" - before + 1] = doc_id AND "rank" >= before
            THEN "rank" + 1
            ELSE list_position(retrieved_doc_ids, doc_id) + before END AS place
    FROM ranked JOIN listings USING (search_key)
    WHERE (is_later OR ranked.line = listings.line) AND list_contains(retrieved_doc_ids, doc_id)
)
SELECT (SELECT COUNT(*) FROM told WHERE has_rank_zero) AS zeros,
    COUNT(*) AS votes, COUNT(*) FILTER ("rank" = place - 1) AS from_zero
FROM compared
