-- Odd lines of a native log -> their fields. Reads `lines` (line, text), as online/native.py puts them
-- aside. Nothing is inferred: each key is taken as raw JSON and checked for its type before it is
-- read. `fault` says what is wrong with the form of a line; a missing key is NULL here.
WITH parsed AS (
    SELECT *, TRY(json_extract(text, [
        '$.timestamp', '$.query', '$.session_id', '$.model_version', '$.retrieved_doc_ids',
        '$.clicked_doc_id', '$.click_rank', '$.event_id', '$.search_id', '$.user_id', '$.offset',
        '$.tags', '$.clicks', '$.conversions', '$.impressions', '$.action', '$.total_hits',
        '$.latency_ms', '$.dwell_s', '$.results_logged', '$'])) AS j
    FROM lines
),
measured AS (
    -- The minified line is longer than its known keys exactly where it has further or double keys.
    SELECT *, CAST(j[21] AS VARCHAR) AS whole, strlen(j[21]) <> 1
        + coalesce(13 + strlen(j[1]), 0) + coalesce(9 + strlen(j[2]), 0)
        + coalesce(14 + strlen(j[3]), 0) + coalesce(17 + strlen(j[4]), 0)
        + coalesce(21 + strlen(j[5]), 0) + coalesce(18 + strlen(j[6]), 0)
        + coalesce(14 + strlen(j[7]), 0) + coalesce(12 + strlen(j[8]), 0)
        + coalesce(13 + strlen(j[9]), 0) + coalesce(11 + strlen(j[10]), 0)
        + coalesce(10 + strlen(j[11]), 0) + coalesce(8 + strlen(j[12]), 0)
        + coalesce(10 + strlen(j[13]), 0) + coalesce(15 + strlen(j[14]), 0)
        + coalesce(15 + strlen(j[15]), 0) + coalesce(10 + strlen(j[16]), 0)
        + coalesce(14 + strlen(j[17]), 0) + coalesce(14 + strlen(j[18]), 0)
        + coalesce(11 + strlen(j[19]), 0) + coalesce(18 + strlen(j[20]), 0) AS has_more
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
        nullif(CAST(j[9] AS VARCHAR), 'null') AS search_,
        nullif(CAST(j[10] AS VARCHAR), 'null') AS user_,
        nullif(CAST(j[11] AS VARCHAR), 'null') AS offset_,
        nullif(CAST(j[12] AS VARCHAR), 'null') AS tags_,
        nullif(CAST(j[13] AS VARCHAR), 'null') AS clicks_,
        nullif(CAST(j[14] AS VARCHAR), 'null') AS conversions_,
        nullif(CAST(j[15] AS VARCHAR), 'null') AS impressions_,
        nullif(CAST(j[16] AS VARCHAR), 'null') AS action_,
        nullif(CAST(j[17] AS VARCHAR), 'null') AS hits_,
        nullif(CAST(j[18] AS VARCHAR), 'null') AS latency_,
        nullif(CAST(j[19] AS VARCHAR), 'null') AS dwell_,
        nullif(CAST(j[20] AS VARCHAR), 'null') AS logged_,
        CASE WHEN has_more THEN json_keys(text) END AS keys,
        CASE WHEN has_more THEN CAST(json_merge_patch(text, '{"timestamp":null,"query":null,"session_id":null,"model_version":null,
            "retrieved_doc_ids":null,"clicked_doc_id":null,"click_rank":null,"event_id":null,
            "search_id":null,"user_id":null,"offset":null,"tags":null,"clicks":null,
            "conversions":null,"impressions":null,"action":null,"total_hits":null,
            "latency_ms":null,"dwell_s":null,"results_logged":null}') AS VARCHAR) END AS further
    FROM measured
),
listed AS (
    SELECT *, CASE WHEN coalesce(clicks_, conversions_, impressions_) IS NOT NULL THEN list_concat(
        CASE WHEN starts_with(clicks_, '[') THEN list_transform(
            from_json(clicks_, '["JSON"]'), lambda one: raw_thing('click', one)) END,
        list_concat(
            CASE WHEN starts_with(conversions_, '[') THEN list_transform(
                from_json(conversions_, '["JSON"]'), lambda one: raw_thing('conversion', one)) END,
            CASE WHEN starts_with(impressions_, '[') THEN list_transform(
                from_json(impressions_, '["JSON"]'), lambda one: raw_thing('impression', one)) END))
        END AS raw_things
    FROM raw
),
fields AS (
    SELECT *,
        CASE WHEN starts_with(timestamp_, '"') OR is_number(timestamp_) THEN timestamp_ ->> '$' END
            AS stamp,
        CASE WHEN starts_with(query_, '"') THEN query_ ->> '$' END AS query,
        CASE WHEN is_id(session_) THEN session_ ->> '$' END AS session_id,
        CASE WHEN is_id(model_) THEN model_ ->> '$' END AS model_version,
        CASE WHEN starts_with(results_, '[') THEN from_json(results_, '["VARCHAR"]') END
            AS retrieved_doc_ids,
        CASE WHEN is_id(clicked_) THEN clicked_ ->> '$' END AS clicked_doc_id,
        CASE WHEN is_whole(rank_) THEN TRY_CAST(rank_ AS INTEGER) END AS click_rank,
        CASE WHEN is_id(event_) THEN event_ ->> '$' END AS event_id,
        CASE WHEN is_id(search_) THEN search_ ->> '$' END AS search_id,
        CASE WHEN is_id(user_) THEN user_ ->> '$' END AS user_id,
        CASE WHEN is_whole(offset_) THEN TRY_CAST(offset_ AS INTEGER) END AS "offset",
        CASE WHEN starts_with(tags_, '[') THEN from_json(tags_, '["VARCHAR"]') END AS tags,
        CASE WHEN starts_with(action_, '"') THEN action_ ->> '$' END AS action,
        CASE WHEN is_whole(hits_) THEN TRY_CAST(regexp_replace(hits_, '\.0$', '') AS BIGINT) END
            AS total_hits,
        CASE WHEN is_number(latency_) THEN TRY_CAST(latency_ AS DOUBLE) END AS latency_ms,
        CASE WHEN is_number(dwell_) THEN TRY_CAST(dwell_ AS DOUBLE) END AS dwell_s,
        CASE logged_ WHEN 'true' THEN TRUE WHEN 'false' THEN FALSE END AS results_logged,
        -- Without CASE each chunk of rows would pay for the lambda, though no row has a list.
        CASE WHEN raw_things IS NOT NULL THEN list_transform(raw_things, lambda thing: {
            'kind': thing.kind,
            'doc_id': CASE WHEN is_id(thing.doc_) THEN thing.doc_ ->> '$' END,
            'rank': CASE WHEN is_whole(thing.rank_) THEN TRY_CAST(thing.rank_ AS INTEGER) END,
            'stamp': CASE WHEN starts_with(thing.at_, '"') OR is_number(thing.at_)
                THEN thing.at_ ->> '$' END,
            'dwell_s': CASE WHEN is_number(thing.dwell_) THEN TRY_CAST(thing.dwell_ AS DOUBLE) END,
            'value': CASE WHEN is_number(thing.value_) THEN TRY_CAST(thing.value_ AS DOUBLE) END,
            'action': CASE WHEN starts_with(thing.action_, '"') THEN thing.action_ ->> '$' END,
            'further': thing.further,
            'absent': thing.whole = 'null'}) END AS things
    FROM listed
)
SELECT line, stamp, query, session_id, model_version, retrieved_doc_ids,
    array_to_string(retrieved_doc_ids, '') AS joined_doc_ids,
    clicked_doc_id, click_rank, event_id, further, search_id, user_id, "offset", tags, things,
    conversions_ IS NOT NULL AS conversions_told, action, total_hits, latency_ms, dwell_s,
    results_logged,
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
        WHEN CASE WHEN has_more THEN holds_no_number(further) END THEN 'bad_json'
        WHEN timestamp_ IS NOT NULL AND stamp IS NULL THEN 'bad_timestamp'
        WHEN query_ IS NOT NULL AND query IS NULL THEN 'bad_query'
        WHEN session_ IS NOT NULL AND session_id IS NULL THEN 'bad_session'
        WHEN model_ IS NOT NULL AND model_version IS NULL THEN 'bad_model_version'
        WHEN results_ IS NOT NULL AND retrieved_doc_ids IS NULL THEN 'bad_results'
        WHEN list_count(retrieved_doc_ids) < len(retrieved_doc_ids)
            OR list_contains(retrieved_doc_ids, '') THEN 'bad_results'
        -- A list is equal to its own JSON where all ids are text; otherwise each is looked at.
        WHEN CASE WHEN to_json(retrieved_doc_ids) <> results_ THEN len(list_filter(
            from_json(results_, '["JSON"]'), lambda id: NOT is_id(CAST(id AS VARCHAR)))) > 0 END
            THEN 'bad_results'
        WHEN clicked_ IS NOT NULL AND clicked_doc_id IS NULL THEN 'bad_click'
        WHEN rank_ IS NOT NULL AND click_rank IS NULL THEN 'bad_rank'
        WHEN event_ IS NOT NULL AND event_id IS NULL THEN 'bad_event_id'
        WHEN search_ IS NOT NULL AND search_id IS NULL THEN 'bad_search_id'
        WHEN user_ IS NOT NULL AND user_id IS NULL THEN 'bad_user'
        WHEN offset_ IS NOT NULL AND "offset" IS NULL THEN 'bad_offset'
        WHEN tags_ IS NOT NULL AND tags IS NULL THEN 'bad_tags'
        WHEN CASE WHEN to_json(tags) <> tags_ THEN len(list_filter(
            from_json(tags_, '["JSON"]'), lambda tag: NOT starts_with(CAST(tag AS VARCHAR), '"')))
            > 0 END THEN 'bad_tags'
        WHEN action_ IS NOT NULL AND action IS NULL THEN 'bad_action'
        WHEN hits_ IS NOT NULL AND total_hits IS NULL THEN 'bad_total_hits'
        WHEN latency_ IS NOT NULL AND latency_ms IS NULL THEN 'bad_latency'
        WHEN dwell_ IS NOT NULL AND dwell_s IS NULL THEN 'bad_dwell'
        WHEN logged_ IS NOT NULL AND results_logged IS NULL THEN 'bad_results_logged'
        WHEN clicks_ IS NOT NULL AND NOT starts_with(clicks_, '[') THEN 'bad_click'
        WHEN conversions_ IS NOT NULL AND NOT starts_with(conversions_, '[')
            THEN 'bad_conversion'
        WHEN impressions_ IS NOT NULL AND NOT starts_with(impressions_, '[')
            THEN 'bad_impression'
        WHEN len(raw_things) > 0 THEN list_filter(list_transform(list_zip(raw_things, things),
            lambda pair: CASE
                WHEN NOT starts_with(pair[1].whole, '{') THEN 'bad_' || pair[1].kind
                WHEN len(pair[1].keys) <> len(list_distinct(pair[1].keys)) THEN 'duplicate_key'
                WHEN holds_no_number(pair[1].further) THEN 'bad_json'
                WHEN pair[1].doc_ IS NOT NULL AND pair[2].doc_id IS NULL
                    THEN 'bad_' || pair[1].kind
                WHEN pair[1].rank_ IS NOT NULL AND pair[2]."rank" IS NULL THEN 'bad_rank'
                WHEN pair[1].at_ IS NOT NULL AND pair[2].stamp IS NULL THEN 'bad_timestamp'
                WHEN pair[1].dwell_ IS NOT NULL AND pair[2].dwell_s IS NULL THEN 'bad_dwell'
                WHEN pair[1].value_ IS NOT NULL AND pair[2]."value" IS NULL THEN 'bad_value'
                WHEN pair[1].action_ IS NOT NULL AND pair[2].action IS NULL THEN 'bad_action'
                END), lambda found: found IS NOT NULL)[1]
    END AS fault
FROM fields
