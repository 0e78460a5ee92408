-- Per group of `selected_clicks` and rank (NULL: not logged): how many clicks, all of them.
SELECT group_key, click_rank, COUNT(*) AS clicks
FROM selected_clicks
GROUP BY group_key, click_rank
