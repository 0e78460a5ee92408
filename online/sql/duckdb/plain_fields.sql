-- Plain lines of a native log -> their fields, whose types are right already.
SELECT line, timestamp AS stamp, query, session_id, model_version, retrieved_doc_ids, joined_doc_ids,
    clicked_doc_id, click_rank, event_id, CAST(NULL AS VARCHAR) AS further,
    CAST(NULL AS VARCHAR) AS fault
FROM lines
