-- Clicks and impressions of searches that are not known and whose query they do not tell.
SELECT
    COUNT(CASE WHEN kind = 'click' THEN 1 END) AS unjoined_clicks,
    COUNT(CASE WHEN kind = 'impression' THEN 1 END) AS unjoined_impressions
FROM waiting
