-- The rows of an own export for the quarantine, in the order of the file, each with one reason; that it
-- is too old comes first, as nothing of such a row may be shown.
WITH parts AS (
    SELECT line, extra AS reason FROM rejected WHERE extra <> 'blank'
    UNION ALL
    SELECT line, verdict FROM dropped WHERE verdict NOT IN ('known', 'identical')
),
of_rows AS (
    SELECT unnest("rows") AS "row", reason FROM parts JOIN identities USING (line)
)
SELECT "row" AS line, arg_min(reason, reason <> 'beyond_retention') AS reason
FROM of_rows GROUP BY "row" ORDER BY "row"
