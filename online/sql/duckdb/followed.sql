-- The searches of `selected` in small: numbers instead of texts, which windows sort twice as fast.
-- `asked` is the same for queries that differ only in what the table `spellings` takes away.
SELECT
    search_key,
    hash(session_id) AS session_number,
    asked,
    epoch_us(timestamp) AS moment,
    CASE
        WHEN n_clicks = 0 THEN NULL
        ELSE COALESCE(CAST(FLOOR(first_click_s * 1000000) AS BIGINT), 0)
    END AS clicked_after
FROM selected
INNER JOIN (SELECT hash(query) AS typed, hash(group_key) AS asked FROM spellings) AS texts
    ON hash(query) = typed
