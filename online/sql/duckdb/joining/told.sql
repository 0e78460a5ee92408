-- What rows of this log tell of things that happened, in lists; and of rows that tell only later.
-- Reads `wide` (searches that hold further keys) and `later` (rows without a query).
WITH both_kinds AS (
    SELECT line, search_key, search_id, coalesce(row_key, search_key) AS row_key, timestamp,
        event_id, user_id, CAST(NULL AS VARCHAR) AS own_session_id, CAST(NULL AS VARCHAR) AS extra,
        clock, FALSE AS is_later, things
    FROM wide
    WHERE len(things) > 0
    UNION ALL
    SELECT line, search_key, search_id, row_key, timestamp, event_id, user_id,
        CASE WHEN session_given THEN session_id END, extra, clock, TRUE, things
    FROM later
)
SELECT *, list_bool_or(list_transform(things, lambda thing: coalesce(thing."rank" = 0, FALSE)))
    AS has_rank_zero
FROM both_kinds
