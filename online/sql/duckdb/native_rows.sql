-- Fields of native lines -> rows of `searches` and of what happened in them, or the reason why a
-- line is none. Reads `fields` (of plain_fields.sql, or of things.sql for lines with further keys) and
-- the variables `zone`, for timestamps that name none, and `oldest`, before which nothing is kept.
-- The column `date` says where a row goes: to its day where it is a search, to "later" where it
-- tells what happened in one, to "rejected" where it is neither; its reason is then in `extra`.
-- `row_key` is NULL in a search without search_id, whose `search_key` it would be.
WITH clocked AS (
    SELECT *, clock_of(stamp) AS clock FROM fields
),
timed AS (
    SELECT *, instant_of(stamp, clock) AS instant FROM clocked
),
judged AS (
    SELECT *,
        CASE
            -- First of all: what is too old leaves no trace but its number.
            WHEN instant < getvariable('oldest') THEN 'beyond_retention'
            WHEN fault IS NOT NULL THEN fault
            WHEN stamp IS NULL THEN 'missing_timestamp'
            WHEN instant IS NULL THEN fault_of_time(stamp, clock)
            WHEN query IS NULL AND search_id IS NULL AND action IS NULL THEN 'missing_query'
            WHEN session_id = '' THEN 'bad_session'
            WHEN model_version IS NULL AND query IS NOT NULL THEN 'missing_model_version'
            WHEN model_version = '' THEN 'bad_model_version'
            WHEN retrieved_doc_ids IS NULL AND query IS NOT NULL
                AND results_logged IS NOT FALSE THEN 'missing_results'
            WHEN clicked_doc_id = '' THEN 'bad_click'
            WHEN NOT is_rank(click_rank) THEN 'bad_rank'
            WHEN click_rank IS NOT NULL AND clicked_doc_id IS NULL THEN 'rank_without_click'
            WHEN event_id = '' THEN 'bad_event_id'
            WHEN search_id = '' THEN 'bad_search_id'
            WHEN user_id = '' THEN 'bad_user'
            WHEN NOT is_rank("offset") THEN 'bad_offset'
            WHEN list_count(tags) < len(tags) THEN 'bad_tags'
            WHEN action = '' THEN 'bad_action'
            WHEN total_hits < 0 THEN 'bad_total_hits'
            WHEN NOT is_amount(latency_ms) THEN 'bad_latency'
            WHEN NOT is_amount(dwell_s) THEN 'bad_dwell'
            WHEN fault_of_things IS NOT NULL THEN fault_of_things
            WHEN query IS NULL AND len(things) = 0 THEN 'nothing_happened'
        END AS reason,
        -- 60 bits of MD5 over the texts of the line, its numbers mixed in (they would cost as much
        -- again as text). DuckDB's own hash is faster still, but may change with its version.
        xor(CAST('0x' || left(md5(concat_ws(chr(31), query, coalesce(session_id, ''), model_version,
            coalesce(joined_doc_ids, ''), coalesce(clicked_doc_id, ''), coalesce(event_id, ''), further,
            told)), 15) AS BIGINT), epoch_us(instant))
            + coalesce(CAST(click_rank AS BIGINT) + 1, 0) * 1000003
            + coalesce(len(retrieved_doc_ids), 0) AS hash
    FROM timed
),
keyed AS (
    SELECT *,
        CASE WHEN search_id IS NOT NULL THEN CAST('0x' || left(md5(search_id), 15) AS BIGINT)
            WHEN query IS NOT NULL THEN hash END AS search_key
    FROM judged
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
    results AS retrieved_doc_ids,
    CAST(len(results) AS INTEGER) AS n_results,
    CAST(clicked_doc_id IS NOT NULL AS INTEGER) AS n_clicks,
    CAST(click_rank IS NOT NULL AS INTEGER) AS n_ranked_clicks,
    CAST(coalesce(click_rank IN (1, 2), FALSE) AS INTEGER) AS n_top_clicks,
    click_rank AS best_click_rank,
    click_rank AS first_click_rank,
    clicked_doc_id AS best_click_doc_id,
    place_of(results, "offset", click_rank, clicked_doc_id) AS best_click_position,
    CAST(CASE WHEN conversions_told THEN 0 END AS INTEGER) AS n_conversions,
    CAST(NULL AS DOUBLE) AS dwell_s,
    coalesce(reason, kept) AS extra,
    clock = 2 AS zone_assumed,
    search_id,
    CASE WHEN search_id IS NOT NULL OR query IS NULL THEN hash END AS row_key,
    user_id,
    tags,
    nullif("offset", 0) AS results_offset,
    total_hits,
    latency_ms,
    CAST(clock_in_zone(stamp, clock) AS TINYINT) AS clock,
    dwell_s IS NOT NULL AND clicked_doc_id IS NULL AS dwell_without_click,
    things,
    CASE WHEN reason IS NOT NULL THEN 'rejected'
        WHEN query IS NULL THEN 'later'
        ELSE CAST(CAST(instant AS DATE) AS VARCHAR) END AS date
FROM keyed
