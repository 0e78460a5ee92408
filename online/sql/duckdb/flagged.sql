-- What an import flagged: a row for each rule that is met, and beside each the searches of all
-- flagged sessions, each once, and all that were judged.
SELECT rule, count(*), sum(searches),
    (SELECT sum(n) FROM (SELECT max(searches) AS n FROM fresh_bots GROUP BY session_id)),
    (SELECT count(*) FROM judged)
FROM fresh_bots
GROUP BY rule
ORDER BY sum(searches) DESC, rule
