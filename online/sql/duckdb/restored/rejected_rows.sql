-- The rows of an own export for the quarantine, in the order of the file, each with one reason.
WITH parts AS (
    SELECT line, extra AS reason FROM rejected WHERE extra <> 'blank'
    UNION ALL
    SELECT line, verdict FROM dropped WHERE verdict NOT IN ('known', 'identical')
),
of_rows AS (
    SELECT unnest("rows") AS "row", reason FROM parts JOIN identities USING (line)
)
SELECT "row" AS line, MIN(reason) AS reason FROM of_rows GROUP BY "row" ORDER BY "row"
