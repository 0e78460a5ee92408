-- Sessions of users: no 30 minutes of silence within one, 30 or more between two.
-- Reads `activity`: user_id, half_hour, began, active_until (microseconds since 1970), one row a search.
-- Searches of one half hour of the clock are less than 30 minutes apart, so they share a session
-- always. What is sorted is therefore one row a half hour, also where a million searches carry one
-- user_id such as "guest".
WITH half_hours AS (
    SELECT user_id, half_hour, MIN(began) AS began, MAX(active_until) AS active_until
    FROM activity
    GROUP BY user_id, half_hour
),
spaced AS (
    SELECT user_id, half_hour, began,
        MAX(active_until) OVER (
            PARTITION BY user_id ORDER BY half_hour ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS quiet_since
    FROM half_hours
)
SELECT user_id, half_hour,
    MAX(CASE WHEN quiet_since IS NULL OR began - quiet_since >= 1800000000 THEN began END) OVER (
        PARTITION BY user_id ORDER BY half_hour ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS session_began
FROM spaced
