-- Per group of `selected` and rank of the best-ranked click: how many searches.
SELECT group_key, best_click_rank AS click_rank, COUNT(*) AS searches
FROM selected
WHERE best_click_rank IS NOT NULL
GROUP BY group_key, best_click_rank
