"""Searches as skewed as those of people: by SQL, the same on each machine.

Of a million queries the one of rank r is searched for with a chance of 1 / r: of ten million
searches 650,000 queries are seen, a third of them once. One search in ten is typed with other
capitals or blanks.
"""

from pathlib import Path

from online.lake import Lake, write_days

QUERIES = 1_000_000
SEARCHES = f"""
SELECT
    moment AS timestamp,
    CAST(moment AS DATE) AS date,
    CAST(hash(i, 10) // 2 AS BIGINT) AS search_key,
    CAST(NULL AS VARCHAR) AS event_id,
    CASE hash(i, 11) % 20
        WHEN 0 THEN 'How to do thing ' WHEN 1 THEN 'how  to do THING ' ELSE 'how to do thing '
    END || number AS query,
    CAST(CAST(md5(CAST(session AS VARCHAR)) AS UUID) AS VARCHAR) AS session_id,
    TRUE AS session_given,
    'bm25' AS model_version,
    CASE WHEN number % 50 = 0 THEN 0 ELSE 10 END AS n_results,
    CAST(hash(i, 1) % 10 < 4 AS INTEGER) AS n_clicks,
    CAST(hash(i, 1) % 10 < 4 AS INTEGER) AS n_ranked_clicks,
    0 AS n_top_clicks,
    FALSE AS zone_assumed,
    i + 1 AS line
FROM (
    SELECT
        i,
        i // 1000 * 250 + i % 250 AS session,
        TIMESTAMPTZ '2026-11-01 00:00:00+00'
            + to_microseconds(i * (28 * 86400000000 // {{n}})) AS moment,
        CAST(floor(exp(hash(i, 3) / 18446744073709551616.0 * ln({QUERIES}))) AS BIGINT) AS number
    FROM range({{n}}) AS searches(i)
)
"""  # noqa: S608 - numbers of our own


def write_skewed_lake(folder: Path, searches: int) -> int:
    """A lake of these searches, without the documents that they found; how many."""
    with Lake(folder).writing() as writing:
        written = writing.scratch / "searches"
        write_days(writing.connection, SEARCHES.format(n=searches), written)
        writing.place("searches", written)
        writing.commit(count=False)
    return searches
