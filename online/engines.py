"""Who runs the queries of `sql/`: DuckDB, over the views of a lake.

The queries read two views that an engine makes out of a choice: `selected` (searches) and
`selected_clicks`, both with a text column `group_key`. They return integer sufficient statistics;
all arithmetic on these is in `metrics`.
"""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal, TypeAlias, get_args

import duckdb

from online.events import OnlineError
from online.lake import Connection
from online.rollup import ROLLED, parts_fit, sum_hours
from online.sql import sql
from online.zones import begin_of, offsets, zone_of

Relation: TypeAlias = duckdb.DuckDBPyRelation
Grouping: TypeAlias = Literal[
    "all", "model", "day_and_model", "day", "hour", "tag", "class", "class_and_model"
]
QueryClass: TypeAlias = Literal["empty", "question", "with_number", "long", "keyword"]
QUERY_CLASSES: tuple[QueryClass, ...] = get_args(QueryClass)
OF_SEARCHES: tuple[Grouping, ...] = ("tag", "class", "class_and_model")
"""Groupings by what only a search knows: its clicks are found by its key."""
GROUP_KEYS: dict[Grouping, str] = {
    "all": "''",
    "model": "model_version",
    "day_and_model": "CAST(date AS VARCHAR) || ' ' || model_version",
    "day": "CAST(date AS VARCHAR)",
    # Three times as fast as writing out the hour of each search.
    "hour": "CAST(epoch_us(timestamp) // 3600000000 * 3600 AS VARCHAR)",
    "tag": "unnest(CASE WHEN len(tags) > 0 THEN list_transform(list_distinct(tags), "
    "lambda tag: '#' || tag) ELSE [''] END)",
    "class": "query_class",
    "class_and_model": "query_class || ' ' || model_version",
}
TAGS = duckdb.ColumnExpression("tags")
MICROSECONDS = 1_000_000
IS_SELECTED = "FROM duckdb_views() WHERE view_name = 'selected'"
HAS_HOURS = f"SELECT 1 {IS_SELECTED} AND sql = getvariable('selected_with_hours')"
"""Whether `selected_hours` is of the same choice as `selected`, which others make as well."""
SEPARATOR = " "

Unit: TypeAlias = Literal["user", "session"]
USER_ID = "coalesce(user_id, nullif(json_extract_string(extra, '$.user_id'), ''))"
"""Who searched; NULL where the log does not say. Lakes of before the column have it in `extra`."""
UNIT_IDS: dict[Unit, str] = {"user": USER_ID, "session": "session_id"}


@dataclass(frozen=True, slots=True)
class Choice:
    """Which events count.

    Attributes:
        start: First day of `zone`; None from the first.
        end: Last day of `zone`, itself included; None to the last.
        model: Only this model version; None all.
        tag: Only searches that carry this tag; None all.
        query_class: Only searches of this class, one of `QUERY_CLASSES`; None all.
        without_bots: Leave out the sessions that the lake's rules take for bots.
        zone: IANA name of the zone whose days and hours are meant.

    Raises:
        OnlineError: `start` is after `end`, or there is no such zone or class.
    """

    start: date | None = None
    end: date | None = None
    model: str | None = None
    tag: str | None = None
    query_class: str | None = None
    without_bots: bool = False
    zone: str = "UTC"

    def __post_init__(self) -> None:
        zone_of(self.zone)
        if self.start is not None and self.end is not None and self.start > self.end:
            raise OnlineError(
                f"the first day, {self.start}, is after the last, {self.end}",
                hint="Swap the two days.",
            )
        if self.query_class is not None and self.query_class not in QUERY_CLASSES:
            raise OnlineError(
                f"there is no query class {self.query_class!r}",
                hint=f"There are {', '.join(QUERY_CLASSES)}.",
            )


def choose(connection: Connection, choice: Choice, grouping: Grouping) -> None:
    """Make the views that the queries read, or make them anew.

    Args:
        connection: Of `Lake.connect`, with the views `searches` and `interactions`.
        choice: Which events count.
        grouping: What `group_key` is: "" for all of them; the model version; the day of the
            choice's zone, that day and the model, or the begin of its hour, as seconds since 1970;
            the class of the query, or that class and the model; or "#" and a tag, "" for searches
            without tags. A search with two tags is in both groups, once each.
    """
    searches = _chosen(connection, choice)
    clicks = _clicks(connection, choice, searches)
    if grouping in ("class", "class_and_model"):
        searches = searches.join(_classes(connection, searches, "all_classes"), "query")
    key = f"{_group_key(searches, choice, grouping)} AS group_key"
    selected = searches.project(f"*, {key}")
    selected.create_view("selected", replace=True)
    if grouping in OF_SEARCHES:
        clicks = clicks.join(selected.project("search_key, group_key"), "search_key")
        key = "group_key"
    clicks.project(f'"rank" AS click_rank, {key}').create_view("selected_clicks", replace=True)
    _choose_hours(connection, choice, grouping)


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
    rows = _chosen(connection, choice).filter(of_arms)
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


def choose_assigned(connection: Connection, choice: Choice, grouping: Grouping) -> None:
    """Make the view `selected` out of `assigned`, without the units of `crossing`.

    The unit stands in the column `session_id`: what is summed over sessions is then summed over it.
    """
    rows = connection.view("assigned").filter(
        "unit_id IS NOT NULL AND unit_id NOT IN (SELECT unit_id FROM crossing)"
    )
    key = f"{_group_key(rows, choice, grouping)} AS group_key"
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
    searches = _chosen(connection, choice)
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
    """The rows of one query of `sql/`, over what was chosen last; by the rollup, where it can."""
    by_hours = query in ROLLED and connection.execute(HAS_HOURS).fetchall()
    result: Connection | Relation
    result = sum_hours(connection, query) if by_hours else connection.execute(sql(query))
    columns = [column[0] for column in result.description or ()]
    return [dict(zip(columns, row, strict=True)) for row in result.fetchall()]


def _chosen(connection: Connection, choice: Choice) -> Relation:
    """The searches that count."""
    rows = _within(connection, "searches", choice)
    if choice.tag is not None:
        tag = duckdb.ConstantExpression(choice.tag)
        rows = rows.filter(duckdb.FunctionExpression("list_contains", TAGS, tag))
    if choice.query_class is not None:
        of_class = duckdb.ColumnExpression("query_class") == duckdb.ConstantExpression(
            choice.query_class
        )
        texts = _classes(connection, rows, "chosen_classes").filter(of_class)
        rows = rows.join(texts, "query", how="semi")
    if choice.without_bots:
        bots = connection.sql("SELECT session_id FROM bots")
        rows = rows.join(bots, "session_id", how="anti")
    return rows


def _choose_hours(connection: Connection, choice: Choice, grouping: Grouping) -> None:
    """Make the view `selected_hours` where the rollup knows what was chosen: see `rollup`."""
    of_all = replace(choice, tag=None, query_class=None, without_bots=False) == choice
    wider = timedelta(days=choice.zone != "UTC")
    days = connection.sql("FROM days_without_hours")
    uncounted = _of_days(days, choice.start, choice.end, wider)
    if not of_all or grouping in OF_SEARCHES or uncounted.limit(1).fetchall():
        return
    hours = _within(connection, "hours", choice)
    first, last = hours.aggregate("min(date), max(date)").fetchall()[0]
    if first and parts_fit(choice.zone, first, last):
        key = f"{_group_key(hours, choice, grouping)} AS group_key"
        hours.project(f"*, {key}").create_view("selected_hours", replace=True)
        connection.execute(f"SET VARIABLE selected_with_hours = (SELECT sql {IS_SELECTED})")


def _clicks(connection: Connection, choice: Choice, searches: Relation) -> Relation:
    """The clicks of these searches; a click whose search is not known never counts."""
    rows = _within(connection, "interactions", choice)
    clicks = rows.filter("kind = 'click' AND joined IS NOT FALSE")
    if choice == replace(choice, tag=None, query_class=None, without_bots=False):
        return clicks
    return clicks.join(searches.project("search_key"), "search_key", how="semi")


def _within(connection: Connection, table: str, choice: Choice) -> Relation:
    """The rows of a table of these days and this model."""
    rows = connection.sql(f'FROM "{table}"')
    if choice.model is not None:
        model = duckdb.ColumnExpression("model_version")
        rows = rows.filter(model == duckdb.ConstantExpression(choice.model))
    rows = _of_days(rows, choice.start, choice.end, timedelta(days=choice.zone != "UTC"))
    if choice.zone == "UTC":
        return rows
    instant = duckdb.ColumnExpression("timestamp")
    if choice.start is not None:
        begin = begin_of(choice.start, choice.zone)
        rows = rows.filter(instant >= duckdb.ConstantExpression(begin))
    if choice.end is not None and choice.end < date.max:
        behind = begin_of(choice.end + timedelta(days=1), choice.zone)
        rows = rows.filter(instant < duckdb.ConstantExpression(behind))
    return rows


def _of_days(rows: Relation, start: date | None, end: date | None, wider: timedelta) -> Relation:
    """The rows of these UTC days; whole files of other days are not opened."""
    day = duckdb.ColumnExpression("date")
    if start is not None and start > date.min + wider:
        rows = rows.filter(day >= duckdb.ConstantExpression(start - wider))
    if end is not None and end < date.max - wider:
        rows = rows.filter(day <= duckdb.ConstantExpression(end + wider))
    return rows


def _classes(connection: Connection, rows: Relation, name: str) -> Relation:
    """A table of query and query_class, of sql/duckdb/query_class.sql.

    Each text is looked at once: to look at each search takes twice as long.
    """
    texts = rows.project("query").distinct()
    texts.project(f"query, {sql('duckdb/query_class')} AS query_class").create_view(
        "classes_of_texts", replace=True
    )
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS FROM classes_of_texts")
    return connection.table(name)


def _group_key(searches: Relation, choice: Choice, grouping: Grouping) -> str:
    if choice.zone != "UTC" and grouping in ("day", "day_and_model", "hour"):
        return _zoned_key(searches, choice.zone, grouping)
    return GROUP_KEYS[grouping]


def _zoned_key(searches: Relation, zone: str, grouping: Grouping) -> str:
    """Days and hours of a zone, by adding its offset: five times as fast as DuckDB's timezone()."""
    first, last = searches.aggregate("min(date), max(date)").fetchall()[0]
    parts = offsets(zone, first, last) if first else [(datetime.now(UTC), 0)]
    cases = " ".join(
        f"WHEN epoch_us(timestamp) >= {round(begin.timestamp() * MICROSECONDS)} THEN {seconds}"
        for begin, seconds in reversed(parts)
    )
    east = f"(CASE {cases} ELSE {parts[0][1]} END)"
    local = f"(epoch_us(timestamp) // {MICROSECONDS} + {east})"
    if grouping == "hour":
        return f"CAST({local} // 3600 * 3600 - {east} AS VARCHAR)"
    day = f"CAST(DATE '1970-01-01' + CAST({local} // 86400 AS INTEGER) AS VARCHAR)"
    return day if grouping == "day" else f"{day} || '{SEPARATOR}' || model_version"
