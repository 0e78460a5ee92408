-- The interactions of a day as a table to take away. Reads `day_interactions` and `day_searches`.
-- `told_by_search`: the row of the log that told it is that of a search, so that it does not come
-- back without that row.
WITH of_searches AS (
    SELECT row_key FROM day_searches WHERE row_key IS NOT NULL
    UNION
    SELECT row_key FROM day_interactions WHERE kind = 'page'
)
SELECT *, joined IS DISTINCT FROM FALSE AND (search_id IS NULL
    OR row_key IS NULL OR row_key IN (SELECT row_key FROM of_searches)) AS told_by_search
FROM day_interactions
ORDER BY timestamp, search_key, occurred_at, rank
