-- The table `bots` after an import: new flags of the sessions it touched, old ones of all others.
-- Reads `fresh_bots`, `bots_before` and `touched_sessions` (see online/bots.py).
FROM fresh_bots
UNION ALL BY NAME
SELECT * FROM bots_before ANTI JOIN touched_sessions USING (session_id)
