-- In a log that counts from 1 there is no rank 0.
INSERT INTO dropped
SELECT line, 'bad_rank'
FROM staged
WHERE best_click_rank = 0 AND line NOT IN (SELECT line FROM dropped)
