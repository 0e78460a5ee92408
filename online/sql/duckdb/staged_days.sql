-- The days of `staged` and how many of their rows carry an event_id.
SELECT CAST(date AS VARCHAR) AS day, COUNT(event_id) AS event_ids FROM staged GROUP BY date
