-- The rows of the lake of searches that this log tells of.
FROM of_held_days SEMI JOIN held USING (search_key) WHERE search_id IS NOT NULL
