-- Per rank: how often a document was shown there, and clicked.
SELECT
    "rank",
    CAST(SUM(impressions) AS BIGINT) AS impressions,
    CAST(SUM(clicks) AS BIGINT) AS clicks
FROM pair_ranks
GROUP BY "rank"
