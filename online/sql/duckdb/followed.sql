-- The searches of `looked_at` in small: numbers instead of texts, which windows sort twice as fast.
-- `asked` is the same for queries that differ only in what `spellings` takes away; `clicked_after`
-- is in microseconds, 0 for a click whose time is not known. A session that is one search, because
-- the log names neither session nor user, cannot hold another one.
SELECT
    search_key,
    group_key,
    counts,
    hash(session_id) AS session_number,
    asked,
    epoch_us(timestamp) AS moment,
    CASE
        WHEN n_clicks = 0 THEN NULL
        ELSE COALESCE(CAST(FLOOR(first_click_s * 1000000) AS BIGINT), 0)
    END AS clicked_after
FROM looked_at
INNER JOIN (SELECT hash(query) AS typed, hash(spellings.group_key) AS asked FROM spellings) AS texts
    ON hash(query) = typed
WHERE session_given OR session_id NOT LIKE 'search:%'
