-- Per group of `selected` and rank of the first click in time: how many searches.
SELECT group_key, first_click_rank, COUNT(*) AS searches
FROM selected
WHERE first_click_rank IS NOT NULL
GROUP BY group_key, first_click_rank
