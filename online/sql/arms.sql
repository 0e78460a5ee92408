-- Per arm of `assigned`: its searches, how many of them name their unit, and how many stand in a
-- session that was made up because the log names none.
SELECT
    model_version,
    COUNT(*) AS searches,
    COUNT(unit_id) AS with_unit,
    SUM(CASE WHEN session_given THEN 0 ELSE 1 END) AS sessions_made_up
FROM assigned
GROUP BY model_version
