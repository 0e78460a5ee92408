-- Plain lines that hold none of the further keys -> their fields, whose types are right already.
SELECT line, timestamp AS stamp, query, session_id, model_version, retrieved_doc_ids, joined_doc_ids,
    clicked_doc_id, click_rank, event_id, CAST(NULL AS VARCHAR) AS further,
    CAST(NULL AS VARCHAR) AS fault, CAST(NULL AS VARCHAR) AS search_id,
    CAST(NULL AS VARCHAR) AS user_id, CAST(NULL AS INTEGER) AS "offset",
    CAST(NULL AS VARCHAR[]) AS tags, CAST(NULL AS STRUCT(kind VARCHAR, doc_id VARCHAR,
        "rank" INTEGER, stamp VARCHAR, dwell_s DOUBLE, "value" DOUBLE, action VARCHAR,
        further VARCHAR, absent BOOLEAN)[]) AS things,
    CAST(NULL AS BOOLEAN) AS conversions_told, CAST(NULL AS VARCHAR) AS action,
    CAST(NULL AS BIGINT) AS total_hits, CAST(NULL AS DOUBLE) AS latency_ms,
    CAST(NULL AS DOUBLE) AS dwell_s, CAST(NULL AS BOOLEAN) AS results_logged
FROM lines
