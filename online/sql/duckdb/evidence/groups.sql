-- Each spelling of a query with the number of its group, in the order of the groups' texts.
SELECT query, group_key, CAST(dense_rank() OVER (ORDER BY group_key) AS INTEGER) AS group_id
FROM spellings
