-- Events whose query is not that of their search, or whose search is not known: search boxes use one id
-- on while somebody types, and what was shown meanwhile was shown for what stood there. Each search and
-- text of theirs makes a search of its own.
SELECT events.*, CAST(hash(events.search_key, own.group_key) // 2 AS BIGINT) AS own_key,
    searches.tags,
    coalesce(events.model_version, nullif(events.application, ''), 'unknown') AS own_model
FROM events INNER JOIN spellings AS own ON events.query = own.query
    LEFT JOIN searches ON events.search_key = searches.search_key
    LEFT JOIN spellings AS whole ON searches.query = whole.query
WHERE own.group_key IS DISTINCT FROM whole.group_key
