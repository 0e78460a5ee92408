-- How many searches there are, and of how many nothing tells what they showed; and the clicks without
-- rank of those that tell their click by themselves.
SELECT
    COUNT(*) AS searches,
    COUNT(CASE WHEN placed.retrieved_doc_ids IS NULL AND shown.search_key IS NULL THEN 1 END)
        AS searches_without_results,
    COALESCE(CAST(SUM(
        CASE WHEN placed.is_plain AND shown.search_key IS NULL THEN placed.unranked_clicks ELSE 0 END
    ) AS BIGINT), 0) AS plain_clicks_without_rank
FROM placed
LEFT JOIN (SELECT DISTINCT search_key FROM seen) AS shown
    ON placed.search_key = shown.search_key
