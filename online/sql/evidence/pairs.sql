-- All that is known of each query and document, in integers; expected clicks in parts of 1e-9.
WITH parts AS (
    SELECT
        pair_ranks.group_id, pair_ranks.doc_id, pair_ranks.impressions,
        pair_ranks.clicks, pair_ranks.clicks AS click_events, pair_ranks.clicks AS shown_clicks,
        pair_ranks.single_sessions AS sessions,
        pair_ranks.single_clicked_sessions AS clicked_sessions,
        pair_ranks.impressions * rank_parts.parts AS expected_parts, pair_ranks.examined,
        pair_ranks.last_clicks, pair_ranks.skipped,
        pair_ranks.impressions * pair_ranks."rank" AS rank_sum
    FROM pair_ranks
    INNER JOIN rank_parts ON pair_ranks."rank" = rank_parts."rank"
    UNION ALL
    SELECT group_id, doc_id, 0, 1, 1, 0, 0, CASE WHEN visit IS NULL THEN 1 ELSE 0 END, 0, 0, 0, 0, 0
    FROM off_list
    UNION ALL
    SELECT group_id, doc_id, 0, 0, events - 1, 0, 0, 0, 0, 0, 0, 0, 0
    FROM clicked_docs
    WHERE doc_id IS NOT NULL AND events > 1
    UNION ALL
    SELECT group_id, doc_id, 0, 0, 0, 0, sessions, clicked_sessions, 0, 0, 0, 0, 0
    FROM visit_sessions
)
SELECT
    group_id,
    doc_id,
    CAST(SUM(impressions) AS BIGINT) AS impressions,
    CAST(SUM(clicks) AS BIGINT) AS clicks,
    CAST(SUM(click_events) AS BIGINT) AS click_events,
    CAST(SUM(shown_clicks) AS BIGINT) AS shown_clicks,
    CAST(SUM(sessions) AS BIGINT) AS sessions,
    CAST(SUM(clicked_sessions) AS BIGINT) AS clicked_sessions,
    CAST(SUM(expected_parts) AS BIGINT) AS expected_parts,
    CAST(SUM(examined) AS BIGINT) AS examined,
    CAST(SUM(last_clicks) AS BIGINT) AS last_clicks,
    CAST(SUM(skipped) AS BIGINT) AS skipped,
    CAST(SUM(rank_sum) AS BIGINT) AS rank_sum
FROM parts
GROUP BY group_id, doc_id
