-- How many places of lists hold a document that is not told.
SELECT COALESCE(CAST(SUM(unknown_slots) AS BIGINT), 0) AS unknown_slots
FROM lists
