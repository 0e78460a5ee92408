-- The days of `narrow` that lose a row or change a rank.
SELECT DISTINCT CAST(date AS VARCHAR) AS day
FROM narrow
WHERE (getvariable('shift') > 0 AND best_click_rank IS NOT NULL)
    OR line IN (SELECT line FROM dropped)
