-- Which rows of this log say what is known already, and which contradict it.
-- Reads `rows_read` (of rows_read.sql), `known` (lake searches of the same days), `lake_events` (lake
-- searches of files with event ids), and `lake_searches` and `lake_interactions`, the whole lake:
-- what a row with a search_id left lies in the day of its search. `line` is the order of the log:
-- its first row counts.
WITH known_events AS (
    SELECT event_id, coalesce(row_key, search_key) AS identity
    FROM lake_events SEMI JOIN rows_read USING (event_id)
    UNION
    SELECT event_id, row_key FROM lake_interactions SEMI JOIN rows_read USING (event_id)
),
several AS (
    SELECT identity FROM rows_read GROUP BY identity HAVING COUNT(*) > 1
),
numbered AS (
    SELECT line, event_id, ROW_NUMBER() OVER (
        PARTITION BY identity, timestamp ORDER BY line) AS copy
    FROM rows_read SEMI JOIN several USING (identity)
),
rivals AS (
    SELECT event_id, ARG_MIN(identity, line) AS identity
    FROM rows_read
    WHERE event_id IS NOT NULL
    GROUP BY event_id
    HAVING COUNT(DISTINCT identity) > 1
),
known_rows AS (
    SELECT row_key AS identity FROM lake_searches WHERE row_key IS NOT NULL
    UNION ALL
    SELECT row_key FROM lake_interactions WHERE row_key IS NOT NULL
),
findings AS (
    SELECT line, 'conflict' AS verdict
    FROM rows_read JOIN known_events USING (event_id)
    WHERE rows_read.identity <> known_events.identity
    UNION ALL
    SELECT line, 'conflict'
    FROM rows_read JOIN rivals USING (event_id)
    WHERE rows_read.identity <> rivals.identity
        AND event_id NOT IN (SELECT event_id FROM known_events)
    UNION ALL
    SELECT line, CASE WHEN event_id IS NULL THEN 'identical' ELSE 'known' END
    FROM numbered
    WHERE copy > 1
    UNION ALL
    SELECT line, 'known'
    FROM rows_read SEMI JOIN (
        SELECT search_key AS identity, timestamp FROM known WHERE row_key IS NULL
    ) USING (identity, timestamp)
    WHERE NOT joins
    UNION ALL
    SELECT line, 'known'
    FROM (FROM rows_read WHERE joins) SEMI JOIN known_rows USING (identity)
)
-- A row with several findings keeps the gravest, which is the first in the alphabet.
SELECT line, MIN(verdict) AS verdict FROM findings GROUP BY line
