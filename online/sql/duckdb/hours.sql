-- Rows of the table `hours`: what headline.sql and click_ranks.sql counted by quarter and model.
-- Sums of DuckDB are HUGEINT, which Parquet knows as floating point only: hence the casts.
SELECT
    make_timestamptz(group_key.quarter * 900000000) AS timestamp,
    group_key.model AS model_version,
    counted,
    "rank",
    CAST(COLUMNS(* EXCLUDE (group_key, counted, "rank")) AS BIGINT),
    CAST(timestamp AS DATE) AS date
FROM (
    SELECT 'headline' AS counted, best_click_rank AS "rank", * EXCLUDE (best_click_rank)
    FROM headline
    UNION ALL BY NAME
    SELECT 'click_ranks' AS counted, click_rank AS "rank", * EXCLUDE (click_rank)
    FROM click_ranks
)
