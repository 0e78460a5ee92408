-- The searches of `followed` after which the same session asks something else within 5 minutes,
-- without a click before. A click whose time is not known counts as before.
SELECT search_key
FROM (
    SELECT
        search_key,
        moment,
        asked,
        clicked_after,
        LEAD(moment) OVER (PARTITION BY session_number ORDER BY moment, search_key) AS next_moment,
        LEAD(asked) OVER (PARTITION BY session_number ORDER BY moment, search_key) AS next_asked
    FROM followed
) AS pairs
WHERE next_moment - moment <= 300000000
    AND next_asked <> asked
    AND (clicked_after IS NULL OR clicked_after > next_moment - moment)
