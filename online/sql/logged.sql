-- What the log of `selected` knows at all: 1 or 0 each. A column without values costs next to nothing.
SELECT
    (SELECT COUNT(*) FROM (SELECT 1 AS one FROM selected WHERE user_id IS NOT NULL LIMIT 1) AS a)
        AS users,
    (SELECT COUNT(*) FROM (SELECT 1 AS one FROM selected WHERE dwell_s IS NOT NULL LIMIT 1) AS b)
        AS dwells,
    (SELECT COUNT(*) FROM (SELECT 1 AS one FROM selected WHERE first_click_s IS NOT NULL LIMIT 1)
        AS c) AS first_clicks,
    (SELECT COUNT(*) FROM (SELECT 1 AS one FROM selected WHERE conversion_value IS NOT NULL LIMIT 1)
        AS d) AS conversion_values,
    (SELECT COUNT(*) FROM (SELECT 1 AS one FROM selected WHERE n_conversions IS NOT NULL LIMIT 1)
        AS e) AS conversions
