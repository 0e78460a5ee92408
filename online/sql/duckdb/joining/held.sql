-- Which of them the lake holds already, and on which day.
SELECT search_key, date, last_row_at IS NOT NULL AS has_pages
FROM lake_searches SEMI JOIN touched USING (search_key)
WHERE search_id IS NOT NULL
