-- What was kept but is odd in rows that hold further keys, by what they are joined to. Reads `placed`
-- (of placed.sql), `written`, `held`, `several` and `leaves`.
WITH told_first AS (
    SELECT new_line, query, coalesce(results_offset, 0) AS before,
        first_value(query) OVER (PARTITION BY search_key ORDER BY timestamp, row_key) AS first_query,
        MIN(CASE WHEN len(retrieved_doc_ids) > 0 THEN coalesce(results_offset, 0) END)
            OVER (PARTITION BY search_key) AS first_before
    FROM leaves
),
rows_of_things AS (
    SELECT
        COUNT(DISTINCT line) FILTER (kind = 'click' AND joined AND is_listed
            AND doc_id IS NOT NULL AND position IS NULL) AS off_list,
        COUNT(DISTINCT line) FILTER (kind = 'click'
            AND "rank" <> position + coalesce(results_offset, 0)) AS rank_mismatch,
        COUNT(DISTINCT line) FILTER (kind = 'click' AND joined AND occurred_at < timestamp)
            AS click_before_search,
        COUNT(DISTINCT line) FILTER (NOT joined AND search_id IS NOT NULL) AS without_search
    FROM placed
    WHERE line IS NOT NULL
)
SELECT *,
    (SELECT COUNT(*) FROM written ANTI JOIN held USING (search_key)
        WHERE NOT session_given AND starts_with(session_id, 'search:')) AS no_session,
    (SELECT COUNT(*) FROM written ANTI JOIN held USING (search_key)
        WHERE NOT session_given AND starts_with(session_id, 'user:')) AS session_by_user,
    (SELECT coalesce(SUM(brought - CAST(NOT is_held AS INTEGER)), 0) FROM several)
        AS repeated_search_id,
    (SELECT COUNT(*) FROM told_first WHERE new_line IS NOT NULL AND query <> first_query)
        AS query_changed,
    (SELECT COUNT(*) FROM told_first WHERE new_line IS NOT NULL AND before - first_before > 10000)
        AS page_out_of_reach
FROM rows_of_things
