-- Logged impressions of the choice that do not tell what was shown, or where.
SELECT COUNT(*) AS impressions_without_rank
FROM things
INNER JOIN placed ON things.search_key = placed.search_key
WHERE things.kind = 'impression'
    AND (things.doc_id IS NULL OR (things."rank" IS NULL AND things.position IS NULL))
