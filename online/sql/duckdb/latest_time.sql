-- The latest time that is told, in searches and in what happened in them, where it is later than it
-- can be; else NULL. Reads `accepted`, `wide`, `later` and `dropped`.
SELECT MAX(timestamp) FROM (
    SELECT timestamp FROM accepted WHERE timestamp > getvariable('tomorrow')
    UNION ALL
    SELECT greatest(timestamp, list_max(list_transform(things, lambda thing: thing.instant)))
    FROM (SELECT line, timestamp, things FROM wide UNION ALL SELECT line, timestamp, things FROM later)
    ANTI JOIN dropped USING (line)
)
