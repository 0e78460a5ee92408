-- Does this log count ranks from 0? `zeros`: clicks at rank 0. `votes`: ranked clicks on a listed
-- document; `from_zero`: those whose rank is its place in the list, less one.
SELECT
    COUNT(*) FILTER (best_click_rank = 0) AS zeros,
    COUNT(*) FILTER (best_click_rank IS NOT NULL AND best_click_position IS NOT NULL) AS votes,
    COUNT(*) FILTER (best_click_rank = best_click_position - 1) AS from_zero
FROM narrow
