-- What was shown in each search, by the ranks of its impressions: it stands for results that the log
-- does not tell. Reads `happened`, of which those of the variable `part` of `parts` are taken at a
-- time. Of several documents at one rank the first in time counts; a rank more than 10,000 behind the
-- first known one is left out, as in merged.sql.
WITH ranked AS (
    SELECT search_key, "rank", MIN("rank") OVER (PARTITION BY search_key) AS first_rank, doc_id,
        {'at': coalesce(epoch_us(occurred_at), 9000000000000000000), 'id': doc_id} AS turn
    FROM happened
    WHERE kind = 'impression' AND "rank" > 0 AND doc_id IS NOT NULL
        AND search_key % getvariable('parts') = getvariable('part')
),
places AS (
    SELECT search_key, first_rank, "rank" - first_rank AS place, arg_min(doc_id, turn) AS doc_id
    FROM ranked
    WHERE "rank" - first_rank <= 10000
    GROUP BY search_key, first_rank, "rank"
),
listed AS (
    SELECT search_key, first_rank, MAX(place) AS last_place, map(list(place), list(doc_id)) AS known
    FROM places
    GROUP BY search_key, first_rank
)
SELECT search_key, CAST(nullif(first_rank - 1, 0) AS INTEGER) AS results_offset,
    list_transform(range(last_place + 1), lambda place: known[place]) AS retrieved_doc_ids
FROM listed
