-- Rows of an own export (of the view named in `staged`) with what they are known by in the lake, of
-- the table `identities`, instead of what would follow from how the export tells them.
SELECT staged.* REPLACE (
    CASE WHEN search_id IS NULL THEN coalesce(known.search_key, staged.search_key)
        ELSE staged.search_key END AS search_key,
    CASE WHEN session_given THEN session_id
        ELSE 'search:' || coalesce(known.search_key, staged.search_key) END AS session_id,
    coalesce(known.row_key, staged.row_key) AS row_key,
    coalesce(known.zone_assumed, staged.zone_assumed) AS zone_assumed,
    coalesce(known.extra, staged.extra) AS extra,
    list_transform(list_zip(things, known.furthers), lambda pair: {{
        'kind': pair[1].kind, 'doc_id': pair[1].doc_id, 'rank': pair[1]."rank",
        'instant': pair[1].instant, 'clock': pair[1].clock, 'dwell_s': pair[1].dwell_s,
        'value': pair[1]."value", 'action': pair[1].action,
        'further': coalesce(pair[2], pair[1].further)}}) AS things)
FROM {staged} AS staged JOIN identities AS known USING (line)
