-- Each row of `texts`, and its query without regard to case, white space and how Unicode composes
-- its letters (NFC). A single blank between words is what it becomes: passing over those takes half
-- as long as writing each anew.
SELECT
    *,
    trim(regexp_replace(nfc_normalize(lower(query)), '[\s\x0b\x{85}\p{Z}]{2,}|[\t-\r\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]', ' ', 'g')) AS group_key
FROM texts
