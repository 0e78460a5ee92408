-- Odd lines of a native log -> their fields. Reads `lines` (line, text), as online/native.py puts them
-- aside. Nothing is inferred: each key is taken as raw JSON and checked for its type before it is
-- read. `fault` says what is wrong with the form of a line; a missing key is NULL here.
WITH parsed AS (
    SELECT *, TRY(json_extract(text, [
        '$.timestamp', '$.query', '$.session_id', '$.model_version', '$.retrieved_doc_ids',
        '$.clicked_doc_id', '$.click_rank', '$.event_id', '$'])) AS j
    FROM lines
),
measured AS (
    -- The minified line is longer than its known keys exactly where it has further or double keys.
    SELECT *, CAST(j[9] AS VARCHAR) AS whole, strlen(j[9]) <> 1
        + coalesce(13 + strlen(j[1]), 0) + coalesce(9 + strlen(j[2]), 0)
        + coalesce(14 + strlen(j[3]), 0) + coalesce(17 + strlen(j[4]), 0)
        + coalesce(21 + strlen(j[5]), 0) + coalesce(18 + strlen(j[6]), 0)
        + coalesce(14 + strlen(j[7]), 0) + coalesce(12 + strlen(j[8]), 0) AS has_more
    FROM parsed
),
raw AS (
    SELECT line, text, whole, has_more,
        nullif(CAST(j[1] AS VARCHAR), 'null') AS timestamp_,
        nullif(CAST(j[2] AS VARCHAR), 'null') AS query_,
        nullif(CAST(j[3] AS VARCHAR), 'null') AS session_,
        nullif(CAST(j[4] AS VARCHAR), 'null') AS model_,
        nullif(CAST(j[5] AS VARCHAR), 'null') AS results_,
        nullif(CAST(j[6] AS VARCHAR), 'null') AS clicked_,
        nullif(CAST(j[7] AS VARCHAR), 'null') AS rank_,
        nullif(CAST(j[8] AS VARCHAR), 'null') AS event_,
        CASE WHEN has_more THEN json_keys(text) END AS keys,
        CASE WHEN has_more THEN CAST(json_merge_patch(text, '{"timestamp":null,"query":null,
            "session_id":null,"model_version":null,"retrieved_doc_ids":null,"clicked_doc_id":null,
            "click_rank":null,"event_id":null}') AS VARCHAR) END AS further
    FROM measured
),
fields AS (
    SELECT *,
        CASE WHEN starts_with(timestamp_, '"') THEN timestamp_ ->> '$' END AS stamp,
        CASE WHEN starts_with(query_, '"') THEN query_ ->> '$' END AS query,
        CASE WHEN starts_with(session_, '"') OR regexp_full_match(session_, '-?\d+')
            THEN session_ ->> '$' END AS session_id,
        CASE WHEN starts_with(model_, '"') OR regexp_full_match(model_, '-?\d+')
            THEN model_ ->> '$' END AS model_version,
        CASE WHEN starts_with(results_, '[') THEN from_json(results_, '["VARCHAR"]') END
            AS retrieved_doc_ids,
        CASE WHEN starts_with(clicked_, '"') OR regexp_full_match(clicked_, '-?\d+')
            THEN clicked_ ->> '$' END AS clicked_doc_id,
        CASE WHEN regexp_full_match(rank_, '-?\d+(\.0)?') THEN TRY_CAST(rank_ AS INTEGER) END
            AS click_rank,
        CASE WHEN starts_with(event_, '"') OR regexp_full_match(event_, '-?\d+')
            THEN event_ ->> '$' END AS event_id
    FROM raw
)
SELECT line, stamp, query, session_id, model_version, retrieved_doc_ids,
    array_to_string(retrieved_doc_ids, '') AS joined_doc_ids,
    clicked_doc_id, click_rank, event_id, further,
    -- CASE within CASE, not AND: DuckDB computes both sides of an AND for all rows.
    CASE
        -- What a source says in place of a row that it cannot translate: online/sources/source.py.
        WHEN starts_with(text, chr(10)) THEN text
        WHEN whole IS NULL THEN
            CASE WHEN trim(text, E' \t\r\n') = '' THEN 'blank' ELSE 'bad_json' END
        WHEN NOT starts_with(whole, '{') THEN 'not_an_object'
        WHEN CASE WHEN has_more THEN len(keys) <> len(list_distinct(keys)) END
            THEN 'duplicate_key'
        WHEN CASE WHEN contains(whole, '\u0000')
            THEN regexp_matches(whole, '(^|[^\\])(\\\\)*\\u0000') END THEN 'nul_character'
        -- DuckDB reads NaN and Infinity, JSON has neither: look for them outside of strings.
        WHEN CASE WHEN has_more THEN regexp_matches(
            regexp_replace(further, '"([^"\\]|\\.)*"', '', 'g'), '(?i)nan|inf') END THEN 'bad_json'
        WHEN timestamp_ IS NOT NULL AND stamp IS NULL THEN 'bad_timestamp'
        WHEN query_ IS NOT NULL AND query IS NULL THEN 'bad_query'
        WHEN session_ IS NOT NULL AND session_id IS NULL THEN 'bad_session'
        WHEN model_ IS NOT NULL AND model_version IS NULL THEN 'bad_model_version'
        WHEN results_ IS NOT NULL AND retrieved_doc_ids IS NULL THEN 'bad_results'
        WHEN list_count(retrieved_doc_ids) < len(retrieved_doc_ids)
            OR list_contains(retrieved_doc_ids, '') THEN 'bad_results'
        -- A list is equal to its own JSON where all ids are text; otherwise each is looked at.
        WHEN CASE WHEN to_json(retrieved_doc_ids) <> results_ THEN len(list_filter(
            from_json(results_, '["JSON"]'),
            lambda id: NOT (starts_with(id, '"') OR regexp_full_match(id, '-?\d+')))) > 0 END
            THEN 'bad_results'
        WHEN clicked_ IS NOT NULL AND clicked_doc_id IS NULL THEN 'bad_click'
        WHEN rank_ IS NOT NULL AND click_rank IS NULL THEN 'bad_rank'
        WHEN event_ IS NOT NULL AND event_id IS NULL THEN 'bad_event_id'
    END AS fault
FROM fields
