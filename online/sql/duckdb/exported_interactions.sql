-- The interactions of a day as a table to take away. Reads `day_interactions`.
FROM day_interactions ORDER BY timestamp, search_key, occurred_at, rank
