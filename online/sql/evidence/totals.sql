-- Sums over `pairs`: what a summary tells of them.
SELECT
    COUNT(*) AS pairs,
    COUNT(DISTINCT group_id) AS queries,
    COALESCE(CAST(SUM(impressions) AS BIGINT), 0) AS impressions,
    COALESCE(CAST(SUM(clicks) AS BIGINT), 0) AS clicks,
    COALESCE(CAST(SUM(click_events) AS BIGINT), 0) AS click_events,
    COALESCE(CAST(SUM(clicks - shown_clicks) AS BIGINT), 0) AS off_list_clicks,
    COUNT(CASE WHEN click_events > impressions THEN 1 END) AS more_clicks_than_impressions,
    COUNT(CASE WHEN clicks > impressions THEN 1 END) AS not_capped,
    COUNT(CASE WHEN impressions = 0 THEN 1 END) AS never_shown
FROM pairs
