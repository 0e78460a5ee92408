-- `own_texts` with `stray_key`, for events whose query is not that of their search, or whose search is
-- not known: a search box uses one id on while somebody types, and what it showed meanwhile was shown
-- for what stood there. The events of a search and a text make a search of their own.
SELECT own_texts.*,
    CASE WHEN own.group_key IS NOT NULL AND own.group_key IS DISTINCT FROM whole.group_key
        THEN CAST(hash(own_texts.search_key, own.group_key) // 2 AS BIGINT) END AS stray_key,
    searches.tags
FROM own_texts LEFT JOIN spellings AS own ON own_texts.query = own.query
    LEFT JOIN searches ON own_texts.search_key = searches.search_key
    LEFT JOIN spellings AS whole ON searches.query = whole.query
