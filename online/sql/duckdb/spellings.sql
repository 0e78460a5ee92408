-- Per query of `selected`, as it was typed: how many searches, and the query without regard to case,
-- white space and how Unicode composes its letters (NFC).
SELECT
    query,
    COUNT(*) AS searches,
    trim(regexp_replace(nfc_normalize(lower(query)), '[\s\x0b\x{85}\p{Z}]+', ' ', 'g')) AS group_key
FROM selected
GROUP BY query
