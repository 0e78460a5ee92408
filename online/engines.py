"""Who runs the queries of `sql/`: DuckDB, over the views of a lake.

The queries read two views that an engine makes out of a choice: `selected` (searches) and
`selected_clicks`, both with a text column `group_key`; and out of `selected`, `paired` and
`measured` for what only some logs know. They return integer sufficient statistics; all arithmetic
on these is in `metrics`.
"""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import reduce
from operator import and_
from typing import Any, Literal, TypeAlias, get_args

import duckdb

from online.events import OnlineError
from online.lake import Connection
from online.rollup import ROLLED, parts_fit, sum_hours
from online.sql import sql
from online.zones import begin_of, offsets, zone_of

Relation: TypeAlias = duckdb.DuckDBPyRelation
Grouping: TypeAlias = Literal[
    "all",
    "model",
    "day_and_model",
    "day",
    "hour",
    "hour_and_model",
    "six_hours_and_model",
    "tag",
    "class",
    "class_and_model",
]
QueryClass: TypeAlias = Literal["empty", "question", "with_number", "long", "keyword"]
QUERY_CLASSES: tuple[QueryClass, ...] = get_args(QueryClass)
OF_TIME: tuple[Grouping, ...] = (
    "day",
    "day_and_model",
    "hour",
    "hour_and_model",
    "six_hours_and_model",
)
OF_SEARCHES: tuple[Grouping, ...] = ("tag", "class", "class_and_model")
"""Groupings by what only a search knows: its clicks are found by its key."""
GROUP_KEYS: dict[Grouping, str] = {
    "all": "''",
    "model": "model_version",
    "day_and_model": "CAST(date AS VARCHAR) || ' ' || model_version",
    "day": "CAST(date AS VARCHAR)",
    # Three times as fast as writing out the hour of each search.
    "hour": "CAST(epoch_us(timestamp) // 3600000000 * 3600 AS VARCHAR)",
    "hour_and_model": "CAST(epoch_us(timestamp) // 3600000000 * 3600 AS VARCHAR) || ' ' || "
    "model_version",
    "six_hours_and_model": "CAST(epoch_us(timestamp) // 21600000000 * 21600 AS VARCHAR) || ' ' || "
    "model_version",
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

Pair: TypeAlias = Literal["first_click_mrr", "dwell_over_30_s", "conversion_value_per_search"]
PAIRS: dict[Pair, tuple[str, str]] = {
    # In parts of 1/2520, as in session_moments.sql.
    "first_click_mrr": (
        "COALESCE(CAST(FLOOR(2520.0 / first_click_rank + 0.5) AS INTEGER), 0)",
        "TRUE",
    ),
    "dwell_over_30_s": (
        "CASE WHEN dwell_s > 30 THEN 1 ELSE 0 END",
        "n_clicks > 0 AND dwell_s IS NOT NULL",
    ),
    # As in conversion_values.sql.
    "conversion_value_per_search": (
        "CASE WHEN ABS(conversion_value) < 1e15 THEN conversion_value ELSE 0 END",
        "TRUE",
    ),
}
"""Metric -> what is summed up, and over which searches it is a mean."""
Measure: TypeAlias = Literal["median_dwell_s", "median_first_click_s"]
MEASURES: dict[Measure, str] = {
    "median_dwell_s": "dwell_s",
    "median_first_click_s": "first_click_s",
}
HALVES = tuple(0.0002 * 1.1**step for step in range(83))
SHARES = (*(0.5 - half for half in reversed(HALVES)), 0.5, *(0.5 + half for half in HALVES))
"""Where quantiles are taken for the interval of a median: nowhere more than a tenth too far out."""

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
            choice's zone or the begin of its hour (or of its quarter of a day, such as 6 to 12),
            as seconds since 1970; the class of the query;
            one of these, a space, and the model; or "#" and a tag, "" for searches without tags. A
            search with two tags is in both groups, once each.
    """
    searches = chosen(connection, choice)
    clicks = _clicks(connection, choice, searches)
    if grouping in ("class", "class_and_model"):
        searches = searches.join(_classes(connection, searches, "all_classes"), "query")
    key = f"{group_key(searches, choice, grouping)} AS group_key"
    selected = searches.project(f"*, {key}")
    selected.create_view("selected", replace=True)
    if grouping in OF_SEARCHES:
        clicks = clicks.join(selected.project("search_key, group_key"), "search_key")
        key = "group_key"
    clicks.project(f'"rank" AS click_rank, {key}').create_view("selected_clicks", replace=True)
    _choose_hours(connection, choice, grouping)


def choose_pair(connection: Connection, pair: Pair) -> None:
    """Make the view `paired` out of `selected`: group_key, session_id, y and x."""
    y, counted = PAIRS[pair]
    rows = connection.view("selected").filter(counted)
    rows.project(f"group_key, session_id, {y} AS y, 1 AS x").create_view("paired", replace=True)


def choose_measure(connection: Connection, measure: Measure) -> None:
    """Make the view `measured` out of `selected`, and the table `quantiles` of what it holds.

    `measured` has the columns group_key, session_id and measure; `quantiles`, group_key, median
    and quantiles, a list as long as `SHARES`.
    """
    column = MEASURES[measure]
    rows = connection.view("selected").filter(f"{column} IS NOT NULL")
    measured = rows.project(f"group_key, session_id, {column} AS measure")
    measured.create_view("measured", replace=True)
    connection.execute(f"SET VARIABLE shares = {list(SHARES)}")
    make(connection, "quantiles", "duckdb/quantiles")


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
    rows = chosen(connection, choice).filter(of_arms)
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
    key = f"{group_key(rows, choice, grouping)} AS group_key"
    rows.project(f"* REPLACE (unit_id AS session_id), {key}").create_view("selected", replace=True)


def fetch(connection: Connection, query: str) -> list[dict[str, Any]]:
    """The rows of one query of `sql/`, over what was chosen last; by the rollup, where it can."""
    by_hours = query in ROLLED and connection.execute(HAS_HOURS).fetchall()
    result: Connection | Relation
    result = sum_hours(connection, query) if by_hours else connection.execute(sql(query))
    columns = [column[0] for column in result.description or ()]
    return [dict(zip(columns, row, strict=True)) for row in result.fetchall()]


def fetch_quantiles(connection: Connection) -> dict[str, list[float]]:
    """group_key -> the quantiles at `SHARES`, of the table `quantiles`."""
    return dict(connection.execute("SELECT group_key, quantiles FROM quantiles").fetchall())


def has_bots(connection: Connection) -> bool:
    """Whether any session is flagged."""
    return bool(connection.execute("SELECT 1 FROM bots LIMIT 1").fetchall())


def make(connection: Connection, table: str, query: str) -> None:
    """Make a table of what a query of `sql/` gives, or make it anew."""
    connection.execute(f'CREATE OR REPLACE TEMP TABLE "{table}" AS {sql(query)}')


def chosen(connection: Connection, choice: Choice, table: str = "searches") -> Relation:
    """The searches that count, with the columns of `searches`, or of another view of searches."""
    rows = within(connection, table, choice)
    if choice.tag is not None:
        rows = rows.filter(_has_tag(choice.tag))
    if choice.query_class is not None:
        texts = _classes(connection, rows, "chosen_classes")
        rows = rows.join(texts.filter(_is_of_class(choice.query_class)), "query", how="semi")
    if choice.without_bots:
        bots = connection.sql("SELECT session_id FROM bots")
        rows = rows.join(bots, "session_id", how="anti")
    return rows


def marked(connection: Connection, rows: Relation, choice: Choice, *, classes: bool) -> Relation:
    """Searches with a further column `counts`: whether they are among those `chosen`.

    And with their `query_class`, where `classes` asks for it.
    """
    conditions = _conditions(choice)
    if choice.tag is not None:
        conditions.append(_has_tag(choice.tag))
    if classes or choice.query_class is not None:
        rows = rows.join(_classes(connection, rows, "marked_classes"), "query")
    if choice.query_class is not None:
        conditions.append(_is_of_class(choice.query_class))
    if choice.without_bots:
        bots = connection.sql("SELECT DISTINCT session_id, TRUE AS is_bot FROM bots")
        rows = rows.join(bots, "session_id", how="left")
        conditions.append(duckdb.ColumnExpression("is_bot").isnull())
    counts = reduce(and_, conditions, duckdb.ConstantExpression(True))  # noqa: FBT003
    return rows.select(duckdb.StarExpression(), counts.alias("counts"))


def _has_tag(tag: str) -> duckdb.Expression:
    return duckdb.FunctionExpression("list_contains", TAGS, duckdb.ConstantExpression(tag))


def _is_of_class(query_class: str) -> duckdb.Expression:
    return duckdb.ColumnExpression("query_class") == duckdb.ConstantExpression(query_class)


def _choose_hours(connection: Connection, choice: Choice, grouping: Grouping) -> None:
    """Make the view `selected_hours` where the rollup knows what was chosen: see `rollup`."""
    of_all = replace(choice, tag=None, query_class=None, without_bots=False) == choice
    wider = timedelta(days=choice.zone != "UTC")
    days = connection.sql("FROM days_without_hours")
    uncounted = of_days(days, choice.start, choice.end, wider)
    if not of_all or grouping in OF_SEARCHES or uncounted.limit(1).fetchall():
        return
    hours = within(connection, "hours", choice)
    first, last = hours.aggregate("min(date), max(date)").fetchall()[0]
    if first and parts_fit(choice.zone, first, last):
        key = f"{group_key(hours, choice, grouping)} AS group_key"
        hours.project(f"*, {key}").create_view("selected_hours", replace=True)
        connection.execute(f"SET VARIABLE selected_with_hours = (SELECT sql {IS_SELECTED})")


def _clicks(connection: Connection, choice: Choice, searches: Relation) -> Relation:
    """The clicks of these searches; a click whose search is not known never counts."""
    rows = within(connection, "interactions", choice)
    clicks = rows.filter("kind = 'click' AND joined IS NOT FALSE")
    if choice == replace(choice, tag=None, query_class=None, without_bots=False):
        return clicks
    return clicks.join(searches.project("search_key"), "search_key", how="semi")


def within(connection: Connection, table: str, choice: Choice) -> Relation:
    """The rows of a table of the choice's days and model."""
    wider = timedelta(days=choice.zone != "UTC")
    rows = of_days(connection.sql(f'FROM "{table}"'), choice.start, choice.end, wider)
    for condition in _conditions(choice):
        rows = rows.filter(condition)
    return rows


def _conditions(choice: Choice) -> list[duckdb.Expression]:
    """What all tables can tell of a row: whether it is of this model and these days, exactly."""
    found = []
    if choice.model is not None:
        model = duckdb.ColumnExpression("model_version")
        found.append(model == duckdb.ConstantExpression(choice.model))
    day, instant = duckdb.ColumnExpression("date"), duckdb.ColumnExpression("timestamp")
    utc = choice.zone == "UTC"
    if choice.start is not None:
        begin = begin_of(choice.start, choice.zone)
        found.append(
            day >= duckdb.ConstantExpression(choice.start)
            if utc
            else instant >= duckdb.ConstantExpression(begin)
        )
    if choice.end is not None and choice.end < date.max:
        behind = begin_of(choice.end + timedelta(days=1), choice.zone)
        found.append(
            day <= duckdb.ConstantExpression(choice.end)
            if utc
            else instant < duckdb.ConstantExpression(behind)
        )
    return found


def of_days(rows: Relation, start: date | None, end: date | None, wider: timedelta) -> Relation:
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


def group_key(searches: Relation, choice: Choice, grouping: Grouping) -> str:
    """What parts these searches, in SQL; for a tag it makes a row of each of them."""
    if choice.zone != "UTC" and grouping in OF_TIME:
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
    step = 21600 if grouping.startswith("six_hours") else 3600
    hour = f"CAST({local} // {step} * {step} - {east} AS VARCHAR)"
    day = f"CAST(DATE '1970-01-01' + CAST({local} // 86400 AS INTEGER) AS VARCHAR)"
    key = day if grouping.startswith("day") else hour
    return f"{key} || ' ' || model_version" if grouping.endswith("model") else key
