-- Searches of one query that show one list and are clicked at the same places are one unit: most
-- searches repeat a list, so what is shown need not be looked at search by search. Lists are compared
-- by hash and length: of a query with a thousand lists two are alike once in 10^13 logs. Searches of
-- repeated visits are units by visit.
SELECT group_id, before, hash(retrieved_doc_ids) AS list_hash, len(retrieved_doc_ids) AS length,
    coalesce(places, CAST(plain_place AS VARCHAR)) AS places, repeated_visits.visit,
    COUNT(*) AS searches, any_value(retrieved_doc_ids) AS listed
FROM placed ANTI JOIN seen USING (search_key)
    LEFT JOIN clicked_places USING (search_key)
    LEFT JOIN repeated_visits ON placed.visit = repeated_visits.visit
WHERE retrieved_doc_ids IS NOT NULL
GROUP BY group_id, before, list_hash, length, places, plain_place, repeated_visits.visit
