-- Per unit of `wanted`, a query or several that count as one: in how many sessions it was searched
-- for.
SELECT
    wanted.unit,
    COUNT(DISTINCT selected.session_id) AS sessions
FROM selected
INNER JOIN wanted ON selected.query = wanted.query
GROUP BY wanted.unit
