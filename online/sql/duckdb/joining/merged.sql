-- One search of the rows of each that has several. Reads `leaves`, those of the variable `part` of
-- `parts`: so many are merged at a time that they fit into memory.
-- The latest row that says something is believed; time, ids and session are those of the first. A
-- list belongs to its query: search boxes use one id on while somebody types, so only lists of the
-- latest query are merged. Where its pages overlap, the latest counts rank by rank; a page that begins
-- more than 10,000 results behind the first known one is left out, so that a wrong offset cannot fill
-- the memory.
WITH numbered AS (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY search_key ORDER BY timestamp, row_key) AS nth,
        trim(lower(query)) = FIRST_VALUE(trim(lower(query))) OVER (
            PARTITION BY search_key ORDER BY timestamp DESC, row_key DESC) AS is_of_query
    FROM leaves
    WHERE search_key % getvariable('parts') = getvariable('part')
),
ordered AS (
    SELECT * REPLACE (CASE WHEN is_of_query THEN retrieved_doc_ids END AS retrieved_doc_ids),
        coalesce(results_offset, 0) AS before,
        MIN(CASE WHEN is_of_query AND len(retrieved_doc_ids) > 0
            THEN coalesce(results_offset, 0) END) OVER (PARTITION BY search_key) AS first_before
    FROM numbered
),
within_reach AS (
    SELECT search_key, nth, first_before, before, unnest(retrieved_doc_ids) AS doc_id,
        generate_subscripts(retrieved_doc_ids, 1) AS place
    FROM ordered
    WHERE before - first_before <= 10000
),
known_places AS (
    SELECT search_key, before - first_before + place AS place, arg_max(doc_id, nth) AS doc_id
    FROM within_reach
    GROUP BY search_key, before - first_before + place
),
places AS (
    SELECT search_key, unnest(range(1, MAX(place) + 1)) AS place
    FROM known_places
    GROUP BY search_key
),
listings AS (
    SELECT search_key, list(doc_id ORDER BY place) AS retrieved_doc_ids
    FROM places LEFT JOIN known_places USING (search_key, place)
    GROUP BY search_key
),
said AS (
    SELECT search_key, ANY_VALUE(search_id) AS search_id, MIN(timestamp) AS timestamp,
        MAX(timestamp) AS last_row_at, MAX(CASE WHEN nth = 1 THEN event_id END) AS event_id,
        arg_max(query, nth) AS query, arg_min(own_session_id, nth) AS own_session_id,
        arg_max(model_version, nth) AS model_version, MAX(n_conversions) AS n_conversions,
        arg_max(further, nth) AS extra, arg_min(zone_assumed, nth) AS zone_assumed,
        arg_min(line, nth) AS line, arg_min(row_key, nth) AS row_key,
        arg_min(user_id, nth) AS user_id, arg_max(tags, nth) AS tags,
        MIN(first_before) AS first_before, arg_max(total_hits, nth) AS total_hits,
        arg_max(latency_ms, nth) AS latency_ms,
        COUNT(*) FILTER (retrieved_doc_ids IS NOT NULL) AS listings
    FROM ordered
    GROUP BY search_key
)
SELECT timestamp, search_key, event_id, query, own_session_id AS session_id,
    own_session_id IS NOT NULL AS session_given, model_version,
    CASE WHEN listings > 0 THEN coalesce(retrieved_doc_ids, []) END AS retrieved_doc_ids,
    n_conversions, extra, zone_assumed, line, search_id, row_key, user_id, tags,
    CAST(nullif(first_before, 0) AS INTEGER) AS results_offset, total_hits, latency_ms, last_row_at
FROM said LEFT JOIN listings USING (search_key)
