-- The places that were clicked, where these are several or only their clicks tell them.
SELECT search_key, string_agg(DISTINCT place, ',' ORDER BY place) AS places
FROM clicked_docs ANTI JOIN seen USING (search_key)
WHERE place IS NOT NULL
GROUP BY search_key
