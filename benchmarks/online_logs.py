"""Generated searches for the benchmarks of the online part: by SQL, the same on each machine.

28 days in the order of time; four searches a session, a minute apart where they are ten million,
three sessions a user; 20,000 queries,
200,000 documents, ten results each; 40 % of the searches have one click, at any rank alike; three
model versions, of which a session in fifty sees two.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from online.lake import Lake, write_days

if TYPE_CHECKING:
    from online.manifest import TableName

SEARCHES = """
SELECT
    i,
    TIMESTAMPTZ '2026-11-01 00:00:00+00' + to_microseconds(i * (28 * 86400000000 // {n})) AS moment,
    hash(i, 1) % 1000 < 400 AS clicked,
    CAST(1 + hash(i, 2) % 10 AS INTEGER) AS place,
    'how to do thing number ' || (hash(i, 3) % 20000) AS query,
    CAST(CAST(md5(CAST(session AS VARCHAR)) AS UUID) AS VARCHAR) AS session_id,
    'user-' || (hash(session, 9) % CAST(ceil({n} / 12) AS BIGINT)) AS user_id,
    ['bm25', 'minilm', 'e5'][CAST(1 + (hash(session, 4) + CAST(hash(i, 5) % 200 = 0 AS INTEGER)) % 3
        AS BIGINT)] AS model_version,
    ['doc-' || (100000 + (hash(i, 7) + rank * 7919) % 200000)
        FOR rank IN [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]] AS found,
    CAST(hash(i, 6) % 3000 / 10 AS DOUBLE) AS dwell_s,
    hash(i, 8) % 10 = 0 AS bought
FROM (SELECT i, i // 1000 * 250 + i % 250 AS session FROM range({n}) AS searches(i))
"""
LAKE_SEARCHES = """
SELECT
    moment AS timestamp,
    CAST(hash(i, 10) // 2 AS BIGINT) AS search_key,
    CAST(NULL AS VARCHAR) AS event_id, query, session_id, TRUE AS session_given, model_version,
    found AS retrieved_doc_ids,
    10 AS n_results,
    CAST(clicked AS INTEGER) AS n_clicks,
    CAST(clicked AS INTEGER) AS n_ranked_clicks,
    CAST(clicked AND place <= 2 AS INTEGER) AS n_top_clicks,
    CASE WHEN clicked THEN place END AS best_click_rank,
    CASE WHEN clicked THEN place END AS first_click_rank,
    CASE WHEN clicked THEN found[place] END AS best_click_doc_id,
    CASE WHEN clicked THEN place END AS best_click_position,
    CAST(clicked AND bought AS INTEGER) AS n_conversions,
    CASE WHEN clicked THEN dwell_s END AS dwell_s,
    FALSE AS zone_assumed,
    i + 1 AS line,
    CAST(moment AS DATE) AS date,
    user_id
FROM generated
"""
LAKE_CLICKS = """
SELECT moment AS timestamp, CAST(hash(i, 10) // 2 AS BIGINT) AS search_key, session_id,
    model_version, 'click' AS kind, found[place] AS doc_id, place AS "rank", place AS position,
    moment + INTERVAL 9 SECOND AS occurred_at, dwell_s, CAST(moment AS DATE) AS date
FROM generated WHERE clicked
"""
ISO = "strftime(moment, '%Y-%m-%dT%H:%M:%S.%fZ')"
LATER = "strftime(moment + INTERVAL 9 SECOND, '%Y-%m-%dT%H:%M:%S.%fZ')"
SEARCH = f"""'{{"timestamp": "' || {ISO} || '", "query": "' || query
    || '", "session_id": "' || session_id || '", "model_version": "' || model_version
    || '", "retrieved_doc_ids": ["' || array_to_string(found, '", "') || '"]'"""
PLAIN = f"""{SEARCH} || CASE WHEN clicked
    THEN ', "clicked_doc_id": "' || found[place] || '", "click_rank": ' || place || '}}'
    ELSE ', "clicked_doc_id": null, "click_rank": null}}' END"""
LOGGED = f"""{SEARCH} || ', "search_id": "q-' || i || '", "user_id": "' || user_id || '"}}'
    || CASE WHEN clicked THEN chr(10) || '{{"timestamp": "' || {LATER} || '", "search_id": "q-' || i
    || '", "clicks": [{{"doc_id": "' || found[place] || '", "timestamp": "' || {LATER}
    || '", "rank": ' || place || '}}]}}' ELSE '' END"""
"""What online/logger.py writes: a line for the search, one more for its click."""


def write_plain_log(file: Path, searches: int) -> int:
    """Native lines, a search with its click in one; how many lines."""
    return _write_lines(file, searches, PLAIN, "count(*)")


def write_logged_log(file: Path, searches: int) -> int:
    """Searches with `search_id` and clicks as later lines; how many lines."""
    return _write_lines(file, searches, LOGGED, "count(*) + count_if(clicked)")


def write_lake(folder: Path, searches: int) -> int:
    """A lake of these searches, as an import of them would leave it; how many."""
    write_tables(folder, SEARCHES.format(n=searches), LAKE_SEARCHES, LAKE_CLICKS)
    return searches


def write_tables(folder: Path, generated: str, searches: str, clicks: str) -> None:
    """A lake of two queries over `generated`, which a third one gives."""
    tables: dict[TableName, str] = {"searches": searches, "interactions": clicks}
    with Lake(folder).writing() as writing:
        writing.connection.execute(f"CREATE VIEW generated AS {generated}")
        for table, query in tables.items():
            write_days(writing.connection, query, writing.scratch / table)
            writing.place(table, writing.scratch / table)
        writing.commit()


def _write_lines(file: Path, searches: int, line: str, lines: str) -> int:
    with duckdb.connect(config={"memory_limit": "2GB"}) as connection:
        connection.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
        connection.execute(f"CREATE VIEW generated AS {SEARCHES.format(n=searches)}")
        as_it_is = "(FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x01')"
        generated = connection.view("generated")
        generated.project(line).create_view("lines")
        connection.execute(f"COPY lines TO '{file}' {as_it_is}")
        ((told,),) = generated.aggregate(lines).fetchall()
    return int(told)
