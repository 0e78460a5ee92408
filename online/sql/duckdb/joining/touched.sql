-- The searches with a search_id of which this log tells something new.
SELECT search_key FROM wide ANTI JOIN dropped USING (line) WHERE search_id IS NOT NULL
UNION
SELECT search_key FROM later ANTI JOIN dropped USING (line) WHERE search_id IS NOT NULL
