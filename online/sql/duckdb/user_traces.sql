-- Which searches a user is named in: by the search, or by anything that happened in it.
-- Reads the views `searches` and `interactions` and the macros of user_macros.sql. Rows with a
-- search_id belong together by it; others only with what has the same time, too. A further key names
-- the user where nothing in the search names another: there it may tell whose page was shown.
WITH logged AS (
    SELECT search_key, search_id IS NOT NULL AS by_id, timestamp, user_id, extra FROM searches
    UNION ALL
    SELECT search_key, search_id IS NOT NULL, timestamp, user_id, extra FROM interactions
    -- What names no search goes or stays alone, see marked_rows.sql.
    WHERE search_key IS NOT NULL
),
held AS MATERIALIZED (
    SELECT DISTINCT search_key, by_id, timestamp FROM logged WHERE holds_user(extra)
)
SELECT search_key, by_id, timestamp FROM logged WHERE names_user(user_id, extra)
UNION
SELECT search_key, by_id, timestamp FROM held
WHERE NOT EXISTS (
    SELECT 1 FROM logged AS others
    WHERE others.search_key = held.search_key
        AND (held.by_id OR others.timestamp = held.timestamp)
        AND names_another(others.user_id, others.extra))
