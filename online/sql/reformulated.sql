-- The searches of `followed` that count: y is 1 where the same session asks something else within 5
-- minutes, without a click before.
SELECT
    group_key,
    session_number AS session_id,
    CASE
        WHEN next_moment - moment <= 300000000
            AND next_asked <> asked
            AND (clicked_after IS NULL OR clicked_after > next_moment - moment)
            THEN 1
        ELSE 0
    END AS y,
    1 AS x
FROM (
    SELECT
        group_key,
        counts,
        session_number,
        moment,
        asked,
        clicked_after,
        LEAD(moment) OVER (PARTITION BY session_number ORDER BY moment, search_key) AS next_moment,
        LEAD(asked) OVER (PARTITION BY session_number ORDER BY moment, search_key) AS next_asked
    FROM followed
) AS pairs
WHERE counts
