-- Per query of `queries`: its counts, a number that is drawn once for each seed (the first half of
-- the MD5 of "SEED query", the same on every machine and in every version), how long it is, and
-- whether it may hold personal data: an at sign, or seven digits with at most three other
-- characters between two of them (1 or 0).
SELECT
    *,
    md5_number_upper(getvariable('seed') || ' ' || group_key) AS draw,
    length(group_key) AS characters,
    CAST(regexp_matches(group_key, '[@＠]|(\p{Nd}\P{Nd}{0,3}){6}\p{Nd}') AS UTINYINT) AS may_be_personal
FROM queries
