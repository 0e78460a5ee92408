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

Grouping: TypeAlias = Literal["all", "model", "day_and_model"]
GROUP_KEYS: dict[Grouping, str] = {
    "all": "''",
    "model": "model_version",
    "day_and_model": "CAST(date AS VARCHAR) || ' ' || model_version",
}


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
        grouping: What `group_key` is: "" for all of them, the model version, or day and model.
    """
    searches = _chosen(connection, "searches", choice)
    clicks = _chosen(connection, "interactions", choice).filter("kind = 'click'")
    key = f"{GROUP_KEYS[grouping]} AS group_key"
    searches.project(f"*, {key}").create_view("selected", replace=True)
    clicks.project(f'"rank" AS click_rank, {key}').create_view("selected_clicks", replace=True)


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
