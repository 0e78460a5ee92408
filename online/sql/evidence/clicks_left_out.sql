-- Of the clicks that were looked up: how many have no rank, and how many no document.
SELECT
    COALESCE(CAST(SUM(unranked) AS BIGINT), 0) AS clicks_without_rank,
    COALESCE(CAST(SUM(CASE WHEN doc_id IS NULL THEN events ELSE 0 END) AS BIGINT), 0)
        AS clicks_without_document
FROM clicked_docs
