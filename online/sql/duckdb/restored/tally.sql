-- How many rows of an own export came to what: one row of counts. A row is refused where a part of it
-- is, and brings something new where any other part of it does.
WITH parts AS (
    SELECT unnest("rows") AS "row",
        line IN (SELECT line FROM rejected) OR coalesce(verdict NOT IN ('known', 'identical'), FALSE)
            AS refused,
        verdict IS NULL AS is_new
    FROM identities LEFT JOIN dropped USING (line)
),
whole AS (
    SELECT "row", bool_or(refused) AS refused, bool_or(is_new) AS is_new FROM parts GROUP BY "row"
)
SELECT COUNT(*) FILTER (is_new AND NOT refused), COUNT(*) FILTER (NOT is_new AND NOT refused)
FROM whole
