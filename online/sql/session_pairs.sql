-- `paired`, summed up by session.
SELECT group_key, session_id, CAST(SUM(y) AS BIGINT) AS y, CAST(SUM(x) AS BIGINT) AS x
FROM paired
GROUP BY group_key, session_id
