-- The lines for the quarantine, in the order of the log.
SELECT line, extra AS reason FROM rejected WHERE extra <> 'blank'
UNION ALL
SELECT line, verdict FROM dropped WHERE verdict IN ('conflict', 'bad_rank')
ORDER BY line
