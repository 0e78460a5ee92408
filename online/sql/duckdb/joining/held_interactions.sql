-- What the lake holds of things that happened in them.
SELECT * FROM lake_interactions SEMI JOIN touched USING (search_key) WHERE search_id IS NOT NULL
