-- Searches that have several rows, of which this log brings at least one.
WITH brought AS (
    SELECT search_key, COUNT(*) AS n
    FROM wide ANTI JOIN dropped USING (line)
    WHERE search_id IS NOT NULL
    GROUP BY search_key
)
SELECT search_key, n AS brought, held.search_key IS NOT NULL AS is_held
FROM brought LEFT JOIN held USING (search_key)
WHERE n > 1 OR held.search_key IS NOT NULL
