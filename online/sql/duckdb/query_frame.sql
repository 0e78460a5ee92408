-- Per query of `queries`: its counts, a number that is drawn once for each seed (the first half of
-- the MD5 of "SEED query", the same on every machine and in every version), how long it is, and
-- whether it may hold personal data (1 or 0): an at sign, or "at" and further on a dot (or their
-- words), seven digits with at most three other characters between two of them, or a code of five
-- digits and letters. What is looked at closer costs a hundred times as much.
SELECT
    *,
    md5_number_upper(getvariable('seed') || ' ' || group_key) AS draw,
    length(group_key) AS characters,
    CAST(
        regexp_matches(group_key, '[@＠]|(\p{Nd}\P{Nd}{0,3}){6}\p{Nd}')
        OR (
            regexp_matches(group_key, '(\p{Nd}\pL{0,3}){4}\p{Nd}')
            AND regexp_matches(group_key, '\pL\p{Nd}|\p{Nd}\pL')
        )
        OR regexp_matches(group_key, '\b(at|arroba)\b.*([.]|\b(dot|punkt|punto|point)\b)')
        AS UTINYINT
    ) AS may_be_personal
FROM queries
