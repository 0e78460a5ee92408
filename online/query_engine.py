"""Counts by query, over the views of a lake: which queries there are, and the searches of some."""

from typing import Any

from online.engines import Choice, chosen, fetch, make
from online.lake import Connection

NO_CLICKS = "SELECT CAST(NULL AS INTEGER) AS click_rank, '' AS group_key WHERE FALSE"


def count_queries(connection: Connection, choice: Choice) -> dict[str, int]:
    """Make the table `queries` of all queries of a choice, and how many there are in it.

    Its columns are group_key (the query without regard to how it is typed), spellings, searches,
    clicked and empty (searches with a click, without results).

    Returns:
        "queries", "searches" and "clicked", of all of them.
    """
    chosen(connection, choice).create_view("selected", replace=True)
    make(connection, "texts", "texts")
    make(connection, "spellings", "duckdb/spellings")
    make(connection, "queries", "queries")
    return fetch(connection, "query_totals")[0]


def keep_queries(connection: Connection, name: str) -> None:
    """Keep `queries` and `spellings` as queries_NAME and spellings_NAME, for another choice."""
    for table in ("queries", "spellings"):
        connection.execute(f"DROP TABLE IF EXISTS {table}_{name}")
        connection.execute(f"ALTER TABLE {table} RENAME TO {table}_{name}")


def show_queries(connection: Connection, of: str, order: str, most: int) -> list[dict[str, Any]]:
    """Make the table `shown` of the first queries, and give its rows.

    Args:
        connection: After `count_queries`.
        of: Which queries, in SQL: a table such as `queries`, or that with a condition.
        order: Which come first, in SQL; of equal ones the first in the order of characters.
        most: How many.
    """
    first = f"FROM {of} ORDER BY {order}, group_key LIMIT {most}"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE shown AS {first}")
    result = connection.execute(f"FROM shown ORDER BY {order}, group_key")
    columns = [column[0] for column in result.description or ()]
    return [dict(zip(columns, row, strict=True)) for row in result.fetchall()]


def count_shown(connection: Connection, of: str) -> int:
    """How many queries there are of those that `show_queries` gives the first of."""
    return int(connection.sql(f"FROM {of}").aggregate("count(*)").fetchall()[0][0])


def choose_shown(connection: Connection, choice: Choice, spellings: str = "spellings") -> None:
    """Make the view `selected` of the searches for the queries of `shown`, by `group_key`.

    `selected_clicks` is empty: a click does not tell its query.
    """
    of_shown = connection.sql(f"FROM {spellings} SEMI JOIN shown USING (group_key)")
    keys = of_shown.project("query, group_key")
    searches = chosen(connection, choice).join(keys, "query")
    searches.create_view("selected", replace=True)
    connection.sql(NO_CLICKS).create_view("selected_clicks", replace=True)
