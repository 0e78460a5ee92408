-- The rows of `affected` that stay, with their ranks moved by the variable `shift`.
SELECT * REPLACE (
    best_click_rank + getvariable('shift') AS best_click_rank,
    first_click_rank + getvariable('shift') AS first_click_rank,
    CAST(coalesce(best_click_rank + getvariable('shift') IN (1, 2), FALSE) AS INTEGER)
        AS n_top_clicks
)
FROM affected ANTI JOIN dropped USING (line)
