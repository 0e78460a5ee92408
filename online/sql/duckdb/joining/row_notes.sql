-- What was kept but is odd in rows that hold further keys, by what they say themselves.
WITH kept AS (
    SELECT line, timestamp, query, search_id, extra, clock, dwell_without_click, things, FALSE AS is_later
    FROM wide ANTI JOIN dropped USING (line)
    UNION ALL
    SELECT line, timestamp, query, search_id, extra, clock, dwell_without_click, things, TRUE
    FROM later ANTI JOIN dropped USING (line)
),
clocked AS (
    SELECT *, list_append(list_transform(things, lambda thing: thing.clock), clock) AS clocks,
        list_filter(things, lambda thing: thing.kind = 'click') AS clicks
    FROM kept
)
SELECT
    COUNT(*) FILTER (trim(query) = '') AS empty_query,
    COUNT(*) FILTER (len(list_filter(clicks, lambda click: click."rank" IS NULL)) > 0)
        AS click_without_rank,
    COUNT(*) FILTER (len(list_filter(clicks, lambda click: click.doc_id IS NULL)) > 0)
        AS click_without_document,
    COUNT(*) FILTER (getvariable('shift') > 0
        AND len(list_filter(things, lambda thing: thing."rank" IS NOT NULL)) > 0) AS ranks_shifted,
    COUNT(*) FILTER (extra IS NOT NULL
        OR len(list_filter(things, lambda thing: thing.further IS NOT NULL)) > 0) AS further_keys,
    COUNT(*) FILTER (dwell_without_click) AS dwell_without_click,
    COUNT(*) FILTER (is_later AND search_id IS NULL) AS no_search_id,
    COUNT(*) FILTER (timestamp > getvariable('tomorrow') OR len(list_filter(things,
        lambda thing: thing.instant > getvariable('tomorrow'))) > 0) AS future_time,
    COUNT(*) FILTER (list_has_any(clocks, [2, 7, 8])) AS zone_assumed,
    COUNT(*) FILTER (list_contains(clocks, 7)) AS local_time_skipped,
    COUNT(*) FILTER (list_contains(clocks, 8)) AS local_time_twice,
    COUNT(*) FILTER (list_contains(clocks, 3)) AS epoch_seconds,
    COUNT(*) FILTER (list_contains(clocks, 4)) AS epoch_milliseconds,
    COUNT(*) FILTER (list_contains(clocks, 5)) AS epoch_microseconds,
    COUNT(*) FILTER (list_contains(clocks, 6)) AS epoch_nanoseconds
FROM clocked
