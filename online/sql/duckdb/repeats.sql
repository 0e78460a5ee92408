-- Which rows of `staged` say what is known already, and which contradict it.
-- Reads `staged` (this log), `known` (lake rows of the same days) and `lake_events` (lake files
-- with event ids). `line` is the order of the log: its first row counts.
WITH known_events AS (
    SELECT event_id, search_key FROM lake_events SEMI JOIN staged USING (event_id)
),
several AS (
    SELECT search_key FROM staged GROUP BY search_key HAVING COUNT(*) > 1
),
numbered AS (
    SELECT line, event_id, ROW_NUMBER() OVER (
        PARTITION BY search_key, timestamp ORDER BY line) AS copy
    FROM staged SEMI JOIN several USING (search_key)
),
rivals AS (
    SELECT event_id, ARG_MIN(search_key, line) AS search_key
    FROM staged
    WHERE event_id IS NOT NULL
    GROUP BY event_id
    HAVING COUNT(DISTINCT search_key) > 1
),
findings AS (
    SELECT line, 'conflict' AS verdict
    FROM staged JOIN known_events USING (event_id)
    WHERE staged.search_key <> known_events.search_key
    UNION ALL
    SELECT line, 'conflict'
    FROM staged JOIN rivals USING (event_id)
    WHERE staged.search_key <> rivals.search_key
        AND event_id NOT IN (SELECT event_id FROM known_events)
    UNION ALL
    SELECT line, CASE WHEN event_id IS NULL THEN 'identical' ELSE 'known' END
    FROM numbered
    WHERE copy > 1
    UNION ALL
    SELECT line, 'known' FROM staged SEMI JOIN known USING (search_key, timestamp)
)
-- A row with several findings keeps the gravest, which is the first in the alphabet.
SELECT line, MIN(verdict) AS verdict FROM findings GROUP BY line
