-- What an import flagged: a row for each rule that is met, and beside each the searches of all
-- flagged sessions, each once, how many of them the lake of before (`searches_before`) does not
-- hold, and all that were judged.
SELECT rule, count(*), sum(searches),
    (SELECT sum(n) FROM (SELECT max(searches) AS n FROM fresh_bots GROUP BY session_id)),
    (SELECT count(*)
        FROM (FROM searches_after SEMI JOIN fresh_bots USING (session_id)) AS found
        WHERE NOT EXISTS (
            SELECT 1 FROM searches_before AS held
            WHERE held.search_key = found.search_key
                AND (held.timestamp = found.timestamp OR found.search_id IS NOT NULL))),
    (SELECT count(*) FROM judged)
FROM fresh_bots
GROUP BY rule
ORDER BY sum(searches) DESC, rule
