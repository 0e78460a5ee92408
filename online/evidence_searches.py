"""What was shown and clicked, search by search: the tables that click evidence is counted from.

Which documents a search showed, and where:

* A search that logged impressions with a rank (or a place in its list) showed these, at these
  ranks: what people saw is known, and a list of which they saw a part would make the rest look
  skipped.
* Any other showed its result list, from `results_offset` + 1 on; a slot that holds NULL is not
  known and is no impression of anything.
* A search that tells neither is counted as one without results, and its clicks are off the list.

A log can be much deeper than what people look at. COEC is not misled: at ranks that are hardly ever
clicked next to no click is expected. SDBN is: see `online.click_models.looked_down_to`.

Events that name a query of their own, as those of UBI do, count for that query: in a search box one
id goes on while somebody types. If their search is not known they count all the same, as they tell
query, document, rank, session and, by their application, the model; if they name no query either,
nothing can be said about a pair, and they are counted as unjoined.
"""

import os
from collections.abc import Sequence
from dataclasses import replace

from online.connections import make_columns
from online.engines import Choice, Relation, chosen, has_bots, make, within
from online.lake import Connection
from online.sql import sql

MEMORY = f"{max(1500, 170 * (os.cpu_count() or 2))}MB"
"""What the tables of ten million searches take, on many processors what each thread needs."""
OWN_QUERY = """SELECT 1 FROM interactions WHERE kind IN ('click', 'impression')
    AND contains(extra, '"user_query"') LIMIT 1"""


def place_searches(
    connection: Connection, choice: Choice, texts: Sequence[str] | None = None
) -> None:
    """Make the views `selected`, `placed` and `things`, and the table `query_groups`.

    Args:
        connection: Of `Lake.connect`; its memory is set to what this work takes.
        choice: Which searches count.
        texts: Only the searches for these queries, in any spelling; None all.
    """
    connection.execute(f"SET memory_limit = '{MEMORY}'")
    events_name_queries = bool(connection.execute(OWN_QUERY).fetchall())
    searches = _with_strays(connection) if events_name_queries else _as_recorded(connection)
    chosen(connection, choice, searches).create_view("selected", replace=True)
    days = Choice(choice.start, choice.end, zone=choice.zone)
    within(connection, "things", days).filter("is_waiting").create_view("waiting", replace=True)
    connection.execute("CREATE OR REPLACE TEMP TABLE texts AS SELECT DISTINCT query FROM selected")
    make(connection, "spellings", "duckdb/spellings")
    make(connection, "query_groups", "duckdb/evidence/groups")
    if texts is not None:
        _keep_groups_of(connection, texts)
    show(connection, "placed", "duckdb/evidence/placed")


def count_flagged(connection: Connection, choice: Choice) -> int:
    """How many searches of flagged sessions the choice names, be they left out of it or not.

    Args:
        connection: In which `place_searches` was called for this choice.
        choice: Which searches count.
    """
    if not has_bots(connection):
        return 0
    named = connection.view("selected")
    if choice.without_bots:
        table = "all_searches" if has_stray_searches(connection) else "searches"
        named = chosen(connection, replace(choice, without_bots=False), table)
    found = named.join(connection.sql("SELECT session_id FROM bots"), "session_id", how="semi")
    return int(found.aggregate("count(*)").fetchall()[0][0])


def has_stray_searches(connection: Connection) -> bool:
    """Whether events made searches of their own in `place_searches`."""
    strays = "SELECT 1 FROM duckdb_tables() WHERE table_name = 'stray_searches'"
    return bool(connection.execute(strays).fetchall())


def group_keys(connection: Connection, texts: Sequence[str]) -> Relation:
    """A relation of `query`, each of these texts, and `group_key`, the query that it is."""
    make_columns(connection, "texts", texts={"query": dict.fromkeys(texts)})
    make(connection, "spellings", "duckdb/spellings")
    return connection.table("spellings")


def show(connection: Connection, view: str, query: str) -> None:
    """Make a view of what a query of `sql/` gives, or make it anew."""
    connection.execute(f'CREATE OR REPLACE TEMP VIEW "{view}" AS {sql(query)}')


def _as_recorded(connection: Connection) -> str:
    """Make the view `things`; the searches as the lake has them."""
    show(connection, "things", "duckdb/evidence/events")
    return "searches"


def _with_strays(connection: Connection) -> str:
    """Make `things` with the searches that events make by a query of their own: all of them."""
    make(connection, "own_texts", "duckdb/evidence/own_texts")
    queries = "SELECT query FROM searches UNION SELECT query FROM own_texts WHERE query IS NOT NULL"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE texts AS {queries}")
    make(connection, "spellings", "duckdb/spellings")
    for table in ("own_events", "stray_searches"):
        make(connection, table, f"duckdb/evidence/{table}")
    show(connection, "things", "duckdb/evidence/own_things")
    show(connection, "all_searches", "duckdb/evidence/all_searches")
    return "all_searches"


def _keep_groups_of(connection: Connection, texts: Sequence[str]) -> None:
    connection.execute("ALTER TABLE query_groups RENAME TO all_query_groups")
    wanted = group_keys(connection, texts)
    kept = connection.table("all_query_groups").join(wanted, "group_key", how="semi")
    kept.create_view("query_groups", replace=True)
