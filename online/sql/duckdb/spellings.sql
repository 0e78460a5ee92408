-- Each query of `texts`, as it was typed, and the query without regard to case, white space and how
-- Unicode composes its letters (NFC).
SELECT
    query,
    trim(regexp_replace(nfc_normalize(lower(query)), '[\s\x0b\x{85}\p{Z}]+', ' ', 'g')) AS group_key
FROM texts
