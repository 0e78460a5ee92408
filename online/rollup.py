"""The rollup: what adds up of the searches and clicks of each quarter of an hour, counted once.

It is the table `hours` of a lake, written with each commit for the days that it touches, by the
same queries that count searches (`ROLLED`): so days, hours and model versions of any zone whose
offset is a whole number of quarters are sums of a few rows. Sessions do not add up: whoever needs
them reads the searches, as does who asks for tags, classes of queries, or searches without bots.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from online.columns import COLUMNS, COUNTED
from online.connections import Connection, Relation, create_view, write_days
from online.sql import sql
from online.zones import offsets

if TYPE_CHECKING:
    from online.lake import Writing
    from online.manifest import DayFile

QUARTER_S = 900
"""Zones that are 30 or 45 minutes off have days and hours, too; by hours there are fewer rows."""
ROLLED: Mapping[str, str] = {"headline": "best_click_rank", "click_ranks": "click_rank"}
"""Query of sql/ whose counts are rolled up -> the rank by which it counts."""


@cache
def mark() -> str:
    """In the names of files: which queries counted; those of an older Goldsmith are not read."""
    text = "".join(sql(name) for name in (*ROLLED, "duckdb/hours"))
    return hashlib.sha256(f"{text}{COUNTED}{QUARTER_S}".encode()).hexdigest()[:8]


def is_current(file: "DayFile") -> bool:
    """Whether a file of `hours` was counted by the queries of this Goldsmith."""
    return file.path.endswith(f"-{mark()}.parquet")


def place_hours(writing: "Writing", changed: Collection[str]) -> None:
    """Count days anew before a commit: those that changed, and those that were never counted.

    Args:
        writing: Where the searches and interactions of the commit were placed already.
        changed: Days such as "2026-11-30" whose searches or interactions are others after it.
    """
    counted = {file.date for file in writing.files("hours") if is_current(file)}
    days = {file.date for file in writing.files("searches")} - (counted - set(changed))
    written = writing.scratch / "hours"
    if days:
        # In a schema of its own, as the writer has views of his.
        cursor = writing.connection.cursor()
        cursor.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
        cursor.execute("CREATE SCHEMA rollup; SET schema = 'rollup'")
        for table in ("searches", "interactions"):
            files = [file for file in writing.files(table) if file.date in days]
            paths = [writing.root / file.path for file in files]
            create_view(cursor, table, paths, COLUMNS[table])
        _write(cursor, written)
        cursor.execute("DROP SCHEMA rollup CASCADE")
        cursor.close()
    writing.place("hours", written, replaces={*changed, *days}, mark=mark())


def show_days_without_hours(
    connection: Connection, searches: Iterable["DayFile"], hours: Iterable["DayFile"]
) -> None:
    """Create the table `days_without_hours` (date): days with searches that were never counted."""
    days = sorted({file.date for file in searches} - {file.date for file in hours})
    connection.execute(
        "CREATE OR REPLACE TABLE days_without_hours AS "
        "SELECT CAST(day AS DATE) AS date FROM (SELECT unnest(CAST(? AS VARCHAR[])) AS day)",
        [days],
    )


def sum_hours(connection: Connection, query: str) -> Relation:
    """The rows that a query of `ROLLED` would give, out of the view `selected_hours`."""
    sums = ", ".join(f'SUM("{count}") AS "{count}"' for count in COUNTED[query])
    hours = connection.view("selected_hours").filter(f"counted = '{query}'")
    return hours.aggregate(f'group_key, "rank" AS {ROLLED[query]}, {sums}', 'group_key, "rank"')


def parts_fit(zone: str, first: date, last: date) -> bool:
    """Whether days and hours of a zone are whole quarters of an hour, as all are since 1972."""
    return all(
        seconds % QUARTER_S == 0 and begin.timestamp() % QUARTER_S == 0
        for begin, seconds in offsets(zone, first, last)
    )


def _write(cursor: Connection, written: Path) -> None:
    quarter = f"epoch_us(timestamp) // {QUARTER_S * 1_000_000}"
    key = f"struct_pack(quarter := {quarter}, model := model_version) AS group_key"
    cursor.sql("FROM searches").project(f"*, {key}").create_view("selected")
    clicks = cursor.sql("FROM interactions").filter("kind = 'click' AND joined IS NOT FALSE")
    clicks.project(f'"rank" AS click_rank, {key}').create_view("selected_clicks")
    for query in ROLLED:
        cursor.execute(f"CREATE TABLE {query} AS {sql(query)}")
    write_days(cursor, sql("duckdb/hours"), written)
