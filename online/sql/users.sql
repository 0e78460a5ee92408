-- Per group of `selected`: how many users, and how many searches name none.
SELECT
    group_key,
    COUNT(DISTINCT user_id) AS users,
    COUNT(*) - COUNT(user_id) AS searches_without_user
FROM selected
GROUP BY group_key
