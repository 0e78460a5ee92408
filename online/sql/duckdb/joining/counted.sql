-- What happened in each search, added up; narrow columns only. Reads `happened`, of which those of
-- the variable `part` of `parts` are added up at a time. Of clicks at one rank the first in time is
-- the best; where times are not known, the best-ranked click is the first.
WITH clocked AS (
    SELECT *, kind = 'click' AS is_click,
        coalesce("rank", 2147483647) AS rank_or_last,
        coalesce(epoch_us(occurred_at), 9000000000000000000) AS at_or_last
    FROM happened
    WHERE search_key % getvariable('parts') = getvariable('part')
)
SELECT search_key,
    COUNT(*) FILTER (is_click) AS n_clicks,
    COUNT("rank") FILTER (is_click) AS n_ranked_clicks,
    COUNT(*) FILTER (is_click AND "rank" IN (1, 2)) AS n_top_clicks,
    MIN("rank") FILTER (is_click) AS best_click_rank,
    arg_min("rank", {'at': at_or_last, 'rank': rank_or_last}) FILTER (is_click)
        AS first_click_rank,
    struct_extract(arg_min({'id': doc_id},
        {'rank': rank_or_last, 'at': at_or_last, 'id': coalesce(doc_id, '')}) FILTER (is_click),
        'id') AS best_click_doc_id,
    COUNT(*) FILTER (kind = 'conversion') AS n_conversions,
    -- Sorted, so that the sum is the same in whatever order they came.
    list_sum(list_sort(list("value") FILTER (kind = 'conversion' AND "value" IS NOT NULL)))
        AS conversion_value,
    MAX(dwell_s) FILTER (is_click) AS dwell_s,
    MIN(occurred_at) FILTER (is_click) AS first_click_at,
    MAX(occurred_at) AS active_until,
    arg_min(own_session_id, {'at': at_or_last, 'row': row_key}) FILTER (kind <> 'page')
        AS session_id
FROM clocked
GROUP BY search_key
