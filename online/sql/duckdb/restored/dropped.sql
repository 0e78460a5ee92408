-- `dropped` of an own export: what an export of interactions tells only in part, as rows of searches
-- told it, is known where the lake holds that row, and else cannot be taken.
WITH in_part AS (
    SELECT line, search_key, row_key FROM identities WHERE only_known
),
held AS (
    SELECT line FROM in_part SEMI JOIN (
        SELECT row_key FROM lake_searches UNION ALL SELECT row_key FROM lake_interactions
    ) USING (row_key)
    UNION
    SELECT line FROM in_part SEMI JOIN (
        SELECT search_key FROM lake_searches WHERE row_key IS NULL
    ) USING (search_key)
)
FROM dropped ANTI JOIN in_part USING (line)
UNION ALL
SELECT line, CASE WHEN line IN (FROM held) THEN 'known' ELSE 'told_by_searches' END
FROM in_part
WHERE line NOT IN (SELECT line FROM rejected)
