-- How a time is written, and when it was; used on lines and on the things within them.
-- 1: ISO 8601 with a zone, 2: without one, 3 to 6: a number of seconds, milliseconds, microseconds,
-- nanoseconds since 1970, told apart by its size, as all are taken to lie between 1990 and 2999;
-- 0: none of these, also digits that read as a calendar date, such as 20261101103000.
CREATE TEMP MACRO clock_of(stamp) AS CASE
    WHEN regexp_full_match(stamp, '(19[7-9]\d|2\d{3})-\d\d-\d\d[T ]([01]\d|2[0-3]):\d\d(:\d\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)') THEN 1
    WHEN regexp_full_match(stamp, '(19[7-9]\d|2\d{3})-\d\d-\d\d[T ]([01]\d|2[0-3]):\d\d(:\d\d(\.\d+)?)?') THEN 2
    WHEN regexp_full_match(stamp, '\d{1,19}(\.\d{1,20})?([eE]\+?\d{1,2})?') THEN
        CASE
            WHEN regexp_full_match(stamp, '(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(([01]\d|2[0-3])[0-5]\d[0-5]\d(\d{3})?)?') THEN 0
            WHEN TRY_CAST(stamp AS DOUBLE) < 1e11 THEN 3
            WHEN TRY_CAST(stamp AS DOUBLE) < 1e14 THEN 4
            WHEN TRY_CAST(stamp AS DOUBLE) < 1e17 THEN 5
            ELSE 6
        END
    ELSE 0
END;
-- Microseconds since 1970 of a number of the given size, cut off behind the last whole one.
CREATE TEMP MACRO epoch_of(stamp, clock) AS CASE clock
    WHEN 3 THEN CAST(trunc(TRY_CAST(stamp AS DECIMAL(30, 6)) * 1000000) AS BIGINT)
    WHEN 4 THEN CAST(trunc(TRY_CAST(stamp AS DECIMAL(30, 6)) * 1000) AS BIGINT)
    WHEN 5 THEN CAST(trunc(TRY_CAST(stamp AS DECIMAL(30, 6))) AS BIGINT)
    WHEN 6 THEN CAST(trunc(TRY_CAST(stamp AS DECIMAL(30, 6)) / 1000) AS BIGINT)
END;
CREATE TEMP MACRO instant_of(stamp, clock) AS CASE clock
    WHEN 0 THEN NULL
    WHEN 1 THEN TRY_CAST(stamp AS TIMESTAMPTZ)
    WHEN 2 THEN timezone(getvariable('zone'), TRY_CAST(stamp AS TIMESTAMP))
    ELSE CASE WHEN epoch_of(stamp, clock) BETWEEN 631152000000000 AND 32503679999999999
        THEN make_timestamptz(epoch_of(stamp, clock)) END
END;
-- How a time is written, with what a change of clocks makes of one without a zone: 7 where no clock
-- of the zone showed it, 8 where clocks showed it twice.
CREATE TEMP MACRO clock_in_zone(stamp, clock) AS CASE
    WHEN clock <> 2 OR getvariable('zone') IS NULL THEN clock
    WHEN timezone(getvariable('zone'), timezone(getvariable('zone'), TRY_CAST(stamp AS TIMESTAMP)))
        <> TRY_CAST(stamp AS TIMESTAMP) THEN 7
    WHEN timezone(getvariable('zone'), timezone(getvariable('zone'), TRY_CAST(stamp AS TIMESTAMP))
            - INTERVAL 1 HOUR) = TRY_CAST(stamp AS TIMESTAMP)
        OR timezone(getvariable('zone'), timezone(getvariable('zone'), TRY_CAST(stamp AS TIMESTAMP))
            - INTERVAL 30 MINUTE) = TRY_CAST(stamp AS TIMESTAMP) THEN 8
    ELSE clock END;
-- Later than any clock can be that goes only somewhat wrong.
SET VARIABLE tomorrow = now() + INTERVAL 1 DAY;
-- What is wrong with a time that gives no instant.
CREATE TEMP MACRO fault_of_time(stamp, clock) AS
    CASE WHEN clock = 2 AND TRY_CAST(stamp AS TIMESTAMP) IS NOT NULL
        THEN 'naive_timestamp' ELSE 'bad_timestamp' END;
CREATE TEMP MACRO is_rank(number) AS number BETWEEN 0 AND 1000000000;
-- Sums of what is larger could leave the range of numbers.
CREATE TEMP MACRO is_value(number) AS isfinite(number) AND abs(number) <= 1e15;
CREATE TEMP MACRO is_amount(number) AS isfinite(number) AND number BETWEEN 0 AND 1e15;
-- Of a JSON value, by its text: whether it may be an id, a whole number (2.0 is 2), any number.
CREATE TEMP MACRO is_id(json) AS starts_with(json, '"') OR regexp_full_match(json, '-?\d+');
CREATE TEMP MACRO is_whole(json) AS regexp_full_match(json, '-?\d+(\.0)?');
CREATE TEMP MACRO is_number(json) AS regexp_full_match(json, '-?\d+(\.\d+)?([eE][+-]?\d+)?');
-- Whether JSON holds NaN or an infinity outside of its strings.
CREATE TEMP MACRO holds_no_number(json) AS
    regexp_matches(regexp_replace(json, '"([^"\\]|\\.)*"', '', 'g'), '(?i)nan|inf');
-- A member of a list of clicks, conversions or impressions, each of its keys as raw JSON. A key that
-- its kind does not know is a further one.
CREATE TEMP MACRO of_kind(wanted, kind, json) AS CASE WHEN kind = wanted THEN json END;
CREATE TEMP MACRO raw_key(one, path) AS nullif(CAST(json_extract(one, path) AS VARCHAR), 'null');
CREATE TEMP MACRO raw_thing(kind, one) AS {
    'kind': kind, 'whole': coalesce(CAST(one AS VARCHAR), 'null'), 'keys': json_keys(one),
    'doc_': raw_key(one, '$.doc_id'), 'rank_': raw_key(one, '$.rank'),
    'at_': raw_key(one, '$.timestamp'),
    'dwell_': of_kind('click', kind, raw_key(one, '$.dwell_s')),
    'value_': of_kind('conversion', kind, raw_key(one, '$.value')),
    'action_': of_kind('conversion', kind, raw_key(one, '$.action')),
    'further': CASE WHEN starts_with(CAST(one AS VARCHAR), '{') THEN nullif(CAST(json_merge_patch(
        one, CASE kind
            WHEN 'click' THEN '{"doc_id":null,"rank":null,"timestamp":null,"dwell_s":null}'
            WHEN 'conversion' THEN
                '{"doc_id":null,"rank":null,"timestamp":null,"value":null,"action":null}'
            ELSE '{"doc_id":null,"rank":null,"timestamp":null}' END) AS VARCHAR), '{}') END};
-- Where a document stands in a list that begins behind `before` results (NULL: 0): at its rank, if it
-- does, else where it first does; NULL where the list does not hold it.
CREATE TEMP MACRO place_of(listed, before, ranked, id) AS CAST(CASE
    WHEN id IS NULL THEN NULL
    WHEN ranked > coalesce(before, 0) AND listed[ranked - coalesce(before, 0)] = id
        THEN ranked - coalesce(before, 0)
    ELSE nullif(list_position(listed, id), 0) END AS INTEGER);
