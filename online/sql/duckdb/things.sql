-- Fields of lines that hold further keys -> the same, and what they tell of things that happened:
-- what is wrong with them, all that was said in one text for the hash of the line, and the list of
-- what goes into the lake. Reads `further_fields` (of wide_fields.sql or odd_fields.sql).
WITH clocked AS (
    -- Without CASE each chunk of rows would pay for the lambda, though no row has a list.
    SELECT *, CASE WHEN things IS NOT NULL
        THEN list_transform(things, lambda thing: clock_of(thing.stamp)) END AS clocks
    FROM further_fields
),
timed AS (
    -- Each macro stands for its text: with clock_of within instant_of this would take three times
    -- as long.
    SELECT * EXCLUDE (clocks) REPLACE (
        CASE WHEN things IS NOT NULL THEN list_transform(things, lambda thing, place: {
            'kind': thing.kind, 'doc_id': thing.doc_id, 'rank': thing."rank",
            'stamp': thing.stamp, 'clock': clocks[place],
            'instant': instant_of(thing.stamp, clocks[place]),
            'dwell_s': thing.dwell_s, 'value': thing."value", 'action': thing.action,
            'further': thing.further, 'absent': thing.absent}) END AS things)
    FROM clocked
)
SELECT * REPLACE (
        -- The click of the line itself comes first; a line that tells none of the kinds tells an
        -- action.
        list_concat(
            CASE WHEN clicked_doc_id IS NOT NULL THEN [{
                'kind': 'click', 'doc_id': clicked_doc_id, 'rank': click_rank,
                'instant': CAST(NULL AS TIMESTAMPTZ), 'clock': CAST(0 AS TINYINT),
                'dwell_s': dwell_s, 'value': CAST(NULL AS DOUBLE), 'action': action,
                'further': CAST(NULL AS VARCHAR)}]
                WHEN action IS NOT NULL AND coalesce(len(things), 0) = 0 THEN [{
                'kind': 'other', 'doc_id': NULL, 'rank': NULL, 'instant': NULL, 'clock': 0,
                'dwell_s': dwell_s, 'value': NULL, 'action': action, 'further': NULL}] END,
            CASE WHEN things IS NOT NULL THEN list_transform(things, lambda thing: {
                'kind': thing.kind, 'doc_id': thing.doc_id, 'rank': thing."rank",
                'instant': thing.instant,
                'clock': CAST(clock_in_zone(thing.stamp, thing.clock) AS TINYINT),
                'dwell_s': thing.dwell_s, 'value': thing."value",
                'action': coalesce(thing.action, action), 'further': thing.further}) END) AS things),
    -- An empty list says as little about results that are not logged as none at all.
    CASE WHEN results_logged IS NOT FALSE OR len(retrieved_doc_ids) > 0
        THEN retrieved_doc_ids END AS results,
    CASE WHEN len(things) > 0 THEN list_filter(list_transform(things, lambda thing: CASE
        WHEN thing.absent OR thing.doc_id = '' THEN 'bad_' || thing.kind
        WHEN thing.doc_id IS NULL AND thing.kind <> 'conversion' AND action IS NULL
            THEN 'bad_' || thing.kind
        WHEN NOT is_rank(thing."rank") THEN 'bad_rank'
        WHEN thing.instant IS NULL AND thing.stamp IS NOT NULL
            THEN fault_of_time(thing.stamp, thing.clock)
        WHEN NOT is_amount(thing.dwell_s) THEN 'bad_dwell'
        WHEN NOT is_value(thing."value") THEN 'bad_value'
        WHEN thing.action = '' THEN 'bad_action'
        END), lambda found: found IS NOT NULL)[1] END AS fault_of_things,
    CASE WHEN coalesce(search_id, user_id, action) IS NOT NULL OR "offset" IS NOT NULL
        OR tags IS NOT NULL OR things IS NOT NULL OR total_hits IS NOT NULL
        OR latency_ms IS NOT NULL OR dwell_s IS NOT NULL OR results_logged IS NOT NULL
    THEN CAST(to_json({'search_id': search_id, 'user_id': user_id, 'action': action,
        'offset': "offset", 'tags': tags, 'things': list_transform(things, lambda thing:
            [thing.kind, thing.doc_id, CAST(thing."rank" AS VARCHAR),
            CAST(epoch_us(thing.instant) AS VARCHAR), CAST(thing.dwell_s AS VARCHAR),
            CAST(thing."value" AS VARCHAR), thing.action, thing.further]),
        'total_hits': total_hits, 'latency_ms': latency_ms, 'dwell_s': dwell_s,
        'results_logged': results_logged, 'listed': retrieved_doc_ids IS NOT NULL,
        'asked': query IS NOT NULL}) AS VARCHAR) END AS told,
    -- What a line without a query says about a search has no column of its own.
    CASE
        WHEN query IS NULL AND (model_version IS NOT NULL OR retrieved_doc_ids IS NOT NULL
            OR "offset" IS NOT NULL OR tags IS NOT NULL OR total_hits IS NOT NULL
            OR latency_ms IS NOT NULL)
        THEN CAST(json_merge_patch(to_json({'model_version': model_version,
            'retrieved_doc_ids': retrieved_doc_ids, 'offset': "offset", 'tags': tags,
            'total_hits': total_hits, 'latency_ms': latency_ms}), coalesce(further, '{}'))
            AS VARCHAR)
        ELSE further
    END AS kept
FROM timed
