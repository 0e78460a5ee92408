-- Plain lines -> their fields, whose types are right already. Clicks, conversions and impressions
-- become one list of `things`.
SELECT line, timestamp AS stamp, query, session_id, model_version, retrieved_doc_ids, joined_doc_ids,
    clicked_doc_id, click_rank, event_id, further,
    CAST(NULL AS VARCHAR) AS fault, search_id, user_id, "offset", tags,
    CASE WHEN coalesce(len(clicks), len(conversions), len(impressions)) IS NOT NULL THEN list_concat(
        list_transform(clicks, lambda thing: {
            'kind': 'click', 'doc_id': thing.doc_id, 'rank': thing."rank",
            'stamp': thing."timestamp", 'dwell_s': thing.dwell_s, 'value': CAST(NULL AS DOUBLE),
            'action': CAST(NULL AS VARCHAR), 'further': CAST(NULL AS VARCHAR),
            'absent': thing IS NULL}),
        list_concat(
            list_transform(conversions, lambda thing: {
                'kind': 'conversion', 'doc_id': thing.doc_id, 'rank': thing."rank",
                'stamp': thing."timestamp", 'dwell_s': CAST(NULL AS DOUBLE),
                'value': thing."value", 'action': thing.action, 'further': CAST(NULL AS VARCHAR),
                'absent': thing IS NULL}),
            list_transform(impressions, lambda thing: {
                'kind': 'impression', 'doc_id': thing.doc_id, 'rank': thing."rank",
                'stamp': thing."timestamp", 'dwell_s': CAST(NULL AS DOUBLE),
                'value': CAST(NULL AS DOUBLE), 'action': CAST(NULL AS VARCHAR),
                'further': CAST(NULL AS VARCHAR), 'absent': thing IS NULL}))) END AS things,
    conversions IS NOT NULL AS conversions_told, action, total_hits, latency_ms, dwell_s,
    results_logged
FROM lines
