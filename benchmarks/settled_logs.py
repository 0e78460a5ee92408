"""Generated searches whose queries have their lists, as those of a real shop: by SQL, the same
on each machine.

As `online_logs`, of whose searches the lists are random, but: a query's share of the traffic falls
with its number (the first hundredth of 20,000 makes a fifth of it); a query has one list of ten for
each of three model versions, of 40 documents of its own; in one search of ten the list is another,
of 200 that the query has in 28 days; and clicks follow places: half of them at the first, and one
search of twenty has two.
"""

from pathlib import Path

from benchmarks.online_logs import LAKE_CLICKS, LAKE_SEARCHES, SEARCHES, write_tables

QUERIES = 20_000
SETTLED = f"""
WITH drawn AS (
    SELECT *, CAST(floor({QUERIES} * pow(hash(i, 3) / pow(2, 64), 3)) AS INTEGER) AS number,
        CAST(1 + floor(9.999 * pow(hash(i, 2) / pow(2, 64), 3)) AS INTEGER) AS clicked_place,
        CASE WHEN hash(i, 11) % 10 = 0 THEN hash(i, 12) % 200 ELSE 0 END AS variant
    FROM ({SEARCHES})
)
SELECT i, moment, clicked, clicked_place AS place, 'how to do thing number ' || number AS query,
    session_id, user_id, model_version, dwell_s, bought,
    ['doc-' || (100000 + number * 40 + (hash(model_version, variant, number) % 37
        + rank * (1 + hash(number, variant) % 3)) % 40) FOR rank IN range(10)] AS found,
    CASE WHEN clicked AND clicked_place < 10 AND hash(i, 13) % 8 = 0
        THEN clicked_place + 1 END AS second_place
FROM drawn
"""  # noqa: S608 - our own
LAKE_SETTLED = f"""
SELECT * EXCLUDE (second_place)
    REPLACE (n_clicks + CAST(second_place IS NOT NULL AS INTEGER) AS n_clicks,
        n_ranked_clicks + CAST(second_place IS NOT NULL AS INTEGER) AS n_ranked_clicks)
FROM ({LAKE_SEARCHES.replace("FROM generated", ", second_place FROM generated")})
"""  # noqa: S608 - our own
SECOND_CLICKS = (
    LAKE_CLICKS.replace("found[place]", "found[second_place]")
    .replace('place AS "rank", place AS', 'second_place AS "rank", second_place AS')
    .replace("WHERE clicked", "WHERE second_place IS NOT NULL")
)
SETTLED_CLICKS = f"{LAKE_CLICKS} UNION ALL {SECOND_CLICKS}"


def write_settled_lake(folder: Path, searches: int) -> int:
    """A lake of these searches, as an import of them would leave it; how many."""
    write_tables(folder, SETTLED.format(n=searches), LAKE_SETTLED, SETTLED_CLICKS)
    return searches
