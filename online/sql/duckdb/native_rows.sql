-- Fields of native lines -> rows of `searches`, or the reason why a line is none.
-- Reads `fields` (of plain_fields.sql or odd_fields.sql) and the variable `zone`, for timestamps that
-- name none. A rejected line goes to the partition date=rejected with its reason in `extra`.
WITH clocked AS (
    SELECT *,
        -- 1: ISO 8601 with a zone, 2: without one, 0: neither.
        CASE
            WHEN regexp_full_match(stamp, '(19[7-9]\d|2\d{3})-\d\d-\d\d[T ]([01]\d|2[0-3]):\d\d(:\d\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)') THEN 1
            WHEN regexp_full_match(stamp, '(19[7-9]\d|2\d{3})-\d\d-\d\d[T ]([01]\d|2[0-3]):\d\d(:\d\d(\.\d+)?)?') THEN 2
            ELSE 0
        END AS clock
    FROM fields
),
timed AS (
    SELECT *,
        CASE clock
            WHEN 1 THEN TRY_CAST(stamp AS TIMESTAMPTZ)
            WHEN 2 THEN timezone(getvariable('zone'), TRY_CAST(stamp AS TIMESTAMP))
        END AS instant
    FROM clocked
),
judged AS (
    SELECT *,
        CASE
            WHEN fault IS NOT NULL THEN fault
            WHEN stamp IS NULL THEN 'missing_timestamp'
            WHEN instant IS NULL THEN
                CASE WHEN clock = 2 AND TRY_CAST(stamp AS TIMESTAMP) IS NOT NULL
                    THEN 'naive_timestamp' ELSE 'bad_timestamp' END
            WHEN query IS NULL THEN 'missing_query'
            WHEN session_id = '' THEN 'bad_session'
            WHEN model_version IS NULL THEN 'missing_model_version'
            WHEN model_version = '' THEN 'bad_model_version'
            WHEN retrieved_doc_ids IS NULL THEN 'missing_results'
            WHEN clicked_doc_id = '' THEN 'bad_click'
            WHEN click_rank < 0 OR click_rank > 1000000000 THEN 'bad_rank'
            WHEN click_rank IS NOT NULL AND clicked_doc_id IS NULL THEN 'rank_without_click'
            WHEN event_id = '' THEN 'bad_event_id'
        END AS reason,
        -- 60 bits of MD5 over the texts of the line, its numbers mixed in (they would cost as much
        -- again as text). DuckDB's own hash is faster still, but may change with its version.
        xor(CAST('0x' || left(md5(concat_ws(chr(31), query, coalesce(session_id, ''), model_version,
            joined_doc_ids, coalesce(clicked_doc_id, ''), coalesce(event_id, ''), further)), 15)
            AS BIGINT), epoch_us(instant))
            + coalesce(CAST(click_rank AS BIGINT) + 1, 0) * 1000003 + len(retrieved_doc_ids)
            AS search_key
    FROM timed
)
SELECT
    line,
    instant AS timestamp,
    search_key,
    event_id,
    query,
    coalesce(session_id, 'search:' || search_key) AS session_id,
    session_id IS NOT NULL AS session_given,
    model_version,
    retrieved_doc_ids,
    CAST(len(retrieved_doc_ids) AS INTEGER) AS n_results,
    CAST(clicked_doc_id IS NOT NULL AS INTEGER) AS n_clicks,
    CAST(click_rank IS NOT NULL AS INTEGER) AS n_ranked_clicks,
    CAST(coalesce(click_rank IN (1, 2), FALSE) AS INTEGER) AS n_top_clicks,
    click_rank AS best_click_rank,
    click_rank AS first_click_rank,
    clicked_doc_id AS best_click_doc_id,
    CAST(CASE WHEN retrieved_doc_ids[click_rank] = clicked_doc_id THEN click_rank
        ELSE nullif(list_position(retrieved_doc_ids, clicked_doc_id), 0) END AS INTEGER)
        AS best_click_position,
    CAST(NULL AS INTEGER) AS n_conversions,
    CAST(NULL AS DOUBLE) AS dwell_s,
    CASE WHEN reason IS NOT NULL THEN reason ELSE further END AS extra,
    clock = 2 AS zone_assumed,
    CASE WHEN reason IS NOT NULL THEN 'rejected' ELSE CAST(CAST(instant AS DATE) AS VARCHAR) END
        AS date
FROM judged
