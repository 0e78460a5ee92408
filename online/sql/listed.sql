-- How many documents the log tells of, in how many searches, and how many of them are not known.
SELECT
    COUNT(*) AS documents,
    COALESCE(SUM(1 - known), 0) AS missing,
    COALESCE(SUM(times), 0) AS times,
    COALESCE(SUM(CASE WHEN known = 0 THEN times ELSE 0 END), 0) AS missing_times
FROM listed_documents
