"""Who runs the queries of `sql/`: DuckDB, over the views of a lake.

The queries read two views that an engine makes out of a choice: `selected` (searches) and
`selected_clicks`, both with a text column `group_key`. They return integer sufficient statistics;
all arithmetic on these is in `metrics`.
"""

from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, TypeAlias

import duckdb

from online.lake import Connection
from online.sql import sql

Grouping: TypeAlias = Literal["all", "model", "day_and_model", "day", "hour"]
GROUP_KEYS: dict[Grouping, str] = {
    "all": "''",
    "model": "model_version",
    "day_and_model": "CAST(date AS VARCHAR) || ' ' || model_version",
    "day": "CAST(date AS VARCHAR)",
    # Three times as fast as writing out the hour of each search.
    "hour": "CAST(epoch_us(timestamp) // 3600000000 AS VARCHAR)",
}

Unit: TypeAlias = Literal["user", "session"]
USER_ID = "coalesce(user_id, nullif(json_extract_string(extra, '$.user_id'), ''))"
"""Who searched; NULL where the log does not say. Lakes of before the column have it in `extra`."""
UNIT_IDS: dict[Unit, str] = {"user": USER_ID, "session": "session_id"}


@dataclass(frozen=True, slots=True)
class Choice:
    """Which events count.

    Attributes:
        start: First UTC day; None from the first.
        end: Last UTC day, itself included; None to the last.
        model: Only this model version; None all.
    """

    start: date | None = None
    end: date | None = None
    model: str | None = None


def choose(connection: Connection, choice: Choice, grouping: Grouping) -> None:
    """Make the views that the queries read, or make them anew.

    Args:
        connection: Of `Lake.connect`, with the views `searches` and `interactions`.
        choice: Which events count.
        grouping: What `group_key` is: "" for all of them, the model version, the UTC day, that day
            and the model, or the hour, as hours since 1970.
    """
    searches = _chosen(connection, "searches", choice)
    clicks = _chosen(connection, "interactions", choice).filter("kind = 'click'")
    key = f"{GROUP_KEYS[grouping]} AS group_key"
    searches.project(f"*, {key}").create_view("selected", replace=True)
    clicks.project(f'"rank" AS click_rank, {key}').create_view("selected_clicks", replace=True)


def assign(connection: Connection, choice: Choice, arms: tuple[str, str], unit: Unit) -> None:
    """Make the view `assigned`, or make it anew: the searches of two arms of an A/B test.

    `treated` is 1 in the second arm, 0 in the first.

    Args:
        connection: Of `Lake.connect`, with the view `searches`.
        choice: Which events count.
        arms: Two model versions.
        unit: What `unit_id` is; it is NULL where a search does not name it.
    """
    model = duckdb.ColumnExpression("model_version")
    of_arms = model.isin(*(duckdb.ConstantExpression(arm) for arm in arms))
    rows = _chosen(connection, "searches", choice).filter(of_arms)
    # A number: to compare the names themselves takes a third longer.
    treated = duckdb.CaseExpression(
        model == duckdb.ConstantExpression(arms[1]), duckdb.ConstantExpression(1)
    ).otherwise(duckdb.ConstantExpression(0))
    unit_id = duckdb.SQLExpression(UNIT_IDS[unit])
    rows.select(
        duckdb.StarExpression(), unit_id.alias("unit_id"), treated.alias("treated")
    ).create_view("assigned", replace=True)


def find_crossing(connection: Connection) -> None:
    """Make the table `crossing` of what `assigned` holds: the units that were seen in both arms."""
    connection.execute(f"CREATE OR REPLACE TABLE crossing AS {sql('units_in_both_arms')}")


def choose_assigned(connection: Connection, grouping: Grouping) -> None:
    """Make the view `selected` out of `assigned`, without the units of `crossing`.

    The unit stands in the column `session_id`: what is summed over sessions is then summed over it.
    """
    rows = connection.view("assigned").filter(
        "unit_id IS NOT NULL AND unit_id NOT IN (SELECT unit_id FROM crossing)"
    )
    key = f"{GROUP_KEYS[grouping]} AS group_key"
    rows.project(f"* REPLACE (unit_id AS session_id), {key}").create_view("selected", replace=True)


def choose_queries(connection: Connection, choice: Choice, most: int) -> None:
    """Make the view `selected` of the searches for the busiest queries; `group_key` is the query.

    And the tables `queries` (group_key, searches, spellings) of all queries, and `busiest` of those
    chosen. `selected_clicks` is empty: a click does not tell its query.

    Args:
        connection: Of `Lake.connect`, with the view `searches`.
        choice: Which events count.
        most: How many queries; of equal ones the first in the order of characters.
    """
    searches = _chosen(connection, "searches", choice)
    searches.create_view("selected", replace=True)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE spellings AS {sql('duckdb/spellings')}")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE queries AS {sql('queries')}")
    first = f"FROM queries ORDER BY searches DESC, group_key LIMIT {most}"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE busiest AS {first}")
    keys = "SELECT query, group_key FROM spellings SEMI JOIN busiest USING (group_key)"
    searches.join(connection.sql(keys), "query").create_view("selected", replace=True)
    no_clicks = "SELECT CAST(NULL AS INTEGER) AS click_rank, '' AS group_key WHERE FALSE"
    connection.sql(no_clicks).create_view("selected_clicks", replace=True)


def fetch(connection: Connection, query: str) -> list[dict[str, Any]]:
    """The rows of one query of `sql/`, over what was chosen last."""
    result = connection.execute(sql(query))
    columns = [column[0] for column in result.description or ()]
    return [dict(zip(columns, row, strict=True)) for row in result.fetchall()]


def _chosen(connection: Connection, table: str, choice: Choice) -> duckdb.DuckDBPyRelation:
    rows = connection.table(table) if table in _tables(connection) else connection.view(table)
    day = duckdb.ColumnExpression("date")
    if choice.start is not None:
        rows = rows.filter(day >= duckdb.ConstantExpression(choice.start))
    if choice.end is not None:
        rows = rows.filter(day <= duckdb.ConstantExpression(choice.end))
    if choice.model is not None:
        model = duckdb.ColumnExpression("model_version")
        rows = rows.filter(model == duckdb.ConstantExpression(choice.model))
    return rows


def _tables(connection: Connection) -> set[str]:
    """An empty lake has tables where a filled one has views."""
    return {
        str(name)
        for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    }
