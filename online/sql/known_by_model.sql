-- What the log of each model version knows at all: how many searches of `selected` (whose groups are
-- model versions) have it.
SELECT
    group_key AS model_version,
    COUNT(n_conversions) AS conversions,
    COUNT(dwell_s) AS dwells,
    COUNT(first_click_s) AS first_clicks,
    COUNT(conversion_value) AS conversion_values
FROM selected
GROUP BY group_key
