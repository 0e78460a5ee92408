-- Plain lines that hold none of the further keys -> their fields, whose types are right already. All
-- else is NULL, as things.sql would have it: to find that out for each line would cost as much again.
SELECT line, timestamp AS stamp, query, session_id, model_version, retrieved_doc_ids,
    retrieved_doc_ids AS results, joined_doc_ids, clicked_doc_id, click_rank, event_id,
    CAST(NULL AS VARCHAR) AS further, CAST(NULL AS VARCHAR) AS kept,
    CAST(NULL AS VARCHAR) AS fault, CAST(NULL AS VARCHAR) AS fault_of_things,
    CAST(NULL AS VARCHAR) AS told, CAST(NULL AS VARCHAR[]) AS things,
    CAST(NULL AS VARCHAR) AS search_id, CAST(NULL AS VARCHAR) AS user_id,
    CAST(NULL AS INTEGER) AS "offset", CAST(NULL AS VARCHAR[]) AS tags,
    CAST(NULL AS BOOLEAN) AS conversions_told, CAST(NULL AS VARCHAR) AS action,
    CAST(NULL AS BIGINT) AS total_hits, CAST(NULL AS DOUBLE) AS latency_ms,
    CAST(NULL AS DOUBLE) AS dwell_s, CAST(NULL AS BOOLEAN) AS results_logged
FROM lines
