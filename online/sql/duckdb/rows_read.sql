-- All rows of this log that are good so far, by what identifies them; `line` is their order.
SELECT line, timestamp, event_id, search_key AS identity, FALSE AS joins FROM narrow
UNION ALL
SELECT line, timestamp, event_id, coalesce(row_key, search_key), row_key IS NOT NULL FROM wide
UNION ALL
SELECT line, timestamp, event_id, row_key, TRUE FROM later
