-- In a log that counts from 1 there is no rank 0.
INSERT INTO dropped
SELECT DISTINCT line, 'bad_rank'
FROM (
    SELECT line FROM narrow WHERE best_click_rank = 0
    UNION ALL
    SELECT line FROM told WHERE has_rank_zero
)
WHERE line NOT IN (SELECT line FROM dropped)
