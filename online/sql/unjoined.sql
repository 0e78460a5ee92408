-- How many things of each kind happened in searches that are not known (`unjoined`).
SELECT kind, COUNT(*) AS interactions
FROM unjoined
GROUP BY kind
ORDER BY kind
