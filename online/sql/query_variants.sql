-- How each unit of `wanted` was typed and how often, the most frequent spelling first.
SELECT
    unit,
    query,
    searches
FROM wanted
ORDER BY unit, searches DESC, query
