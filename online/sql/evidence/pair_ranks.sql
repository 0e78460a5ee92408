-- Per query, document and rank, of `shown_docs`: how often it was shown, clicked, the last one clicked
-- and skipped there, and examined as SDBN assumes: down to the last click, without one down to the place
-- `looked_down_to.place`. `single_sessions` are those whose only search for the query this was.
SELECT
    group_id,
    doc_id,
    "rank",
    CAST(SUM(searches) AS BIGINT) AS impressions,
    CAST(SUM(searches * is_clicked) AS BIGINT) AS clicks,
    CAST(SUM(CASE
        WHEN COALESCE(last_place, looked_down_to.place) >= shown_docs.place THEN searches ELSE 0
    END) AS BIGINT) AS examined,
    CAST(SUM(CASE WHEN last_place = shown_docs.place THEN searches * is_clicked ELSE 0 END) AS BIGINT)
        AS last_clicks,
    CAST(SUM(CASE
        WHEN last_place > shown_docs.place AND is_clicked = 0 THEN searches ELSE 0
    END) AS BIGINT) AS skipped,
    CAST(SUM(CASE WHEN visit IS NULL THEN searches ELSE 0 END) AS BIGINT) AS single_sessions,
    CAST(SUM(CASE WHEN visit IS NULL THEN searches * is_clicked ELSE 0 END) AS BIGINT)
        AS single_clicked_sessions
FROM shown_docs
CROSS JOIN looked_down_to
GROUP BY group_id, doc_id, "rank"
