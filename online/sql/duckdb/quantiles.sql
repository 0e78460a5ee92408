-- Per group of `measured`: the exact quantiles at the variable `shares`, and the median.
SELECT
    group_key,
    quantile_cont(measure, getvariable('shares')) AS quantiles,
    median(measure) AS median
FROM measured
GROUP BY group_key
