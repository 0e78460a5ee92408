-- The days of the searches of this log, and how many of its rows carry an event_id.
WITH searched AS (
    SELECT date, COUNT(event_id) AS event_ids FROM narrow GROUP BY date
    UNION ALL
    SELECT date, COUNT(event_id) FROM wide GROUP BY date
)
SELECT CAST(date AS VARCHAR) AS day, event_ids FROM searched
UNION ALL
SELECT 'later', COUNT(event_id) FROM later
