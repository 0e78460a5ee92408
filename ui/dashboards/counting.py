"""What the Dashboard counts: once for each choice and state of the lake, then kept.

In the process an answer is an object that all sessions share, so nobody may change it; on disk it
is a file in the workspace's cache, which outlives a restart (online/kept.py).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias
from zoneinfo import ZoneInfo

import streamlit as st

from builder.workspace import Workspace
from online.counts import counts_of, overall_counts
from online.engines import Choice, Grouping, choose, fetch
from online.kept import kept
from online.lake import Connection, Lake
from online.manifest import MANIFEST
from online.queries import Kind, query_table_on
from online.slices import careful_metrics

Metrics: TypeAlias = Mapping[str, Any]
"""One M of the report: metric -> value, with `intervals` and `reasons` beside them."""
Step: TypeAlias = Literal["day", "hour"]
Group: TypeAlias = Literal["tag", "class"]
Answer: TypeAlias = dict[str, Any]

MOST_DAYS: Mapping[Step, int] = {"day": 731, "hour": 7}
"""How many days one chart shows: more points than these are a smear, also in wide windows."""
MOST_DAYS_OF_HOURS = 4
"""Of more days there is a point for each quarter of a day: single hours are few searches each."""
MOST_QUERIES = 200
"""How many queries a file holds."""


@dataclass(frozen=True, slots=True)
class Log:
    """What can be chosen from.

    Attributes:
        first_day: The first day with searches, in the workspace's zone.
        last_day: The last one.
        model_versions: All of them, sorted.
        tags: All of them, sorted.
        searches: How many there are.
        usual_end: The last day that is shown unless another is asked for: `last_day`, but none
            after tomorrow, as long as there are searches before that.
        later: How many searches are dated after it.
    """

    first_day: date
    last_day: date
    model_versions: tuple[str, ...]
    tags: tuple[str, ...]
    searches: int
    usual_end: date
    later: int = 0


@dataclass(frozen=True, slots=True)
class Series:
    """A metric over time is drawn from these.

    Attributes:
        points: One for each model version and each day or hour that has searches.
        start: The first day that is shown, later than asked for where that would be too much.
        hours: How many hours a point stands for: 24, 6 or 1.
        state: Of the lake, when they were counted.
    """

    points: Sequence[Mapping[str, Any]]
    start: date
    hours: int
    state: str


def state_of(lake: Lake) -> str:
    """Differs between any two states of the lake, at the price of looking at one file."""
    try:
        found = (lake.root / MANIFEST).stat()
    except FileNotFoundError:
        return "empty"
    return f"{found.st_mtime_ns}-{found.st_ino}"


def log_of(workspace: Workspace) -> Log | None:
    """What there is to choose from, in days of the workspace's zone; None in an empty lake."""
    zone = workspace.settings.timezone
    found = _asked(workspace, "days of the log", Choice(zone=zone), _log)
    days = {date.fromisoformat(day): int(n) for day, n in found["days"].items()}
    if not days:
        return None
    # A clock that is wrong in one client must not stretch everybody's axes by years.
    tomorrow = datetime.now(ZoneInfo(zone)).date() + timedelta(days=1)
    usual_end = max((day for day in days if day <= tomorrow), default=max(days))
    return Log(
        first_day=min(days),
        last_day=max(days),
        model_versions=tuple(found["models"]),
        tags=tuple(found["tags"]),
        searches=sum(days.values()),
        usual_end=usual_end,
        later=sum(n for day, n in days.items() if day > usual_end),
    )


def whole(workspace: Workspace, log: Log) -> Choice:
    """What the Dashboard shows first: all searches of the log but those of days to come."""
    return Choice(log.first_day, log.usual_end, zone=workspace.settings.timezone)


def report_of(workspace: Workspace, choice: Choice) -> Answer:
    """{"overall": M, "by_model": {model_version: M}} of the searches that are meant.

    Small groups have an interval where `holds` says so: on this page that is one rule for all.
    """
    return _asked(workspace, "report that holds", choice, _report)


def groups_of(workspace: Workspace, choice: Choice, group: Group) -> Mapping[str, Metrics]:
    """Tag or query class -> M; "" are the searches without a tag.

    Reformulations are not looked for; small groups have an interval where `holds` says so.
    """
    counting = {"tag": _by_tag, "class": _by_class}
    return _asked(workspace, group, choice, counting[group])


def series_of(workspace: Workspace, choice: Choice, step: Step) -> Series:
    """The metrics of each model by day, or by hour, of no more days than a chart can show.

    Hours of many days are counted in quarters of a day.

    Args:
        workspace: Whose events.
        choice: Which of them; names its last day.
        step: Day or hour.
    """
    last = choice.end or date.max
    shown = max(choice.start or date.min, last - timedelta(days=MOST_DAYS[step] - 1))
    hours = 24 if step == "day" else 1 if (last - shown).days < MOST_DAYS_OF_HOURS else 6
    counting = {24: _by_day, 6: _by_quarter, 1: _by_hour}
    question = f"every {hours} hours"
    found = _asked(workspace, question, replace(choice, start=shown), counting[hours])
    return Series(found["points"], shown, hours, state_of(workspace.lake))


def queries_of(
    workspace: Workspace, choice: Choice, kind: Kind, against: Choice | None = None
) -> Answer:
    """The first queries of one kind: see `online.queries.query_table`."""

    def count(connection: Connection, choice: Choice) -> Answer:
        return query_table_on(connection, choice, kind, against, MOST_QUERIES)

    return _asked(workspace, f"queries {kind} {against}", choice, count)


def _asked(
    workspace: Workspace,
    question: str,
    choice: Choice,
    count: Callable[[Connection, Choice], Answer],
) -> Answer:
    lake = workspace.lake
    root, state = str(lake.root), state_of(lake)
    if _STATES.setdefault(root, state) != state:
        # Nobody asks for these any more, and they may quote somebody who was erased since.
        _counted.clear()
        _STATES[root] = state
    return _counted(root, state, str(workspace.cache_folder), question, choice, count)


_STATES: dict[str, str] = {}
"""Lake -> the state that was asked about last."""


@st.cache_resource(max_entries=64, show_spinner="Counting searches \u2026")
def _counted(
    root: str,
    state: str,  # noqa: ARG001 - part of the key
    cache_folder: str,
    question: str,
    choice: Choice,
    _count: Callable[[Connection, Choice], Answer],
) -> Answer:
    lake = Lake(Path(root))

    def compute() -> Answer:
        with lake.connect() as connection:
            return _count(connection, choice)

    asked = {"dashboard": question, **asdict(choice)}
    return kept(Path(cache_folder), lake, asked, compute)


def _log(connection: Connection, choice: Choice) -> Answer:
    choose(connection, choice, "day_and_model")
    rows = fetch(connection, "headline")
    days: Counter[str] = Counter()
    models: set[str] = set()
    for row in rows:
        day, _, model = str(row["group_key"]).partition(" ")
        days[day] += int(row["searches"])
        models.add(model)
    choose(connection, choice, "tag")
    tags = {str(row["group_key"]) for row in fetch(connection, "headline")}
    return {
        "days": dict(sorted(days.items())),
        "models": sorted(models),
        "tags": sorted(tag.removeprefix("#") for tag in tags if tag),
    }


def _report(connection: Connection, choice: Choice) -> Answer:
    by_model = counts_of(connection, choice, "model")
    overall = overall_counts(connection, choice, by_model)
    return {
        "overall": _flat(careful_metrics(overall).as_json()),
        "by_model": {
            model: _flat(careful_metrics(counts).as_json())
            for model, counts in sorted(by_model.items())
        },
    }


def _flat(metrics: Metrics) -> Answer:
    """M with CTR@k under the names that its intervals have."""
    return {**metrics, **{f"ctr_at_{k}": value for k, value in metrics["ctr_at"].items()}}


def _by_tag(connection: Connection, choice: Choice) -> Answer:
    found = _documents(connection, choice, "tag")
    return {key.removeprefix("#"): metrics for key, metrics in found.items()}


def _by_class(connection: Connection, choice: Choice) -> Answer:
    return _documents(connection, choice, "class")


def _documents(connection: Connection, choice: Choice, grouping: Group) -> Answer:
    counts = counts_of(connection, choice, grouping, reformulation=False)
    return {key: _flat(careful_metrics(counts[key]).as_json()) for key in sorted(counts)}


def _by_day(connection: Connection, choice: Choice) -> Answer:
    points = []
    found = counts_of(connection, choice, "day_and_model", reformulation=False)
    for key, counts in sorted(found.items()):
        day, _, model = key.partition(" ")
        points.append(_point(day, model, careful_metrics(counts).as_json()))
    return {"points": points}


def _by_quarter(connection: Connection, choice: Choice) -> Answer:
    return _by_hours(connection, choice, "six_hours_and_model")


def _by_hour(connection: Connection, choice: Choice) -> Answer:
    return _by_hours(connection, choice, "hour_and_model")


def _by_hours(connection: Connection, choice: Choice, grouping: Grouping) -> Answer:
    zone = ZoneInfo(choice.zone)
    points = []
    for key, counts in counts_of(connection, choice, grouping, reformulation=False).items():
        begun, _, model = key.partition(" ")
        hour = datetime.fromtimestamp(int(begun), UTC).astimezone(zone).replace(tzinfo=None)
        points.append(_point(hour.isoformat(), model, careful_metrics(counts).as_json()))
    return {"points": sorted(points, key=lambda point: (point["model"], point["at"]))}


def _point(at: str, model: str, metrics: Metrics) -> Answer:
    """One model on one day or in one hour: what a chart or a table of the numbers needs."""
    values = {
        name: [value, *(metrics["intervals"].get(name) or (None, None))]
        for name, value in _flat(metrics).items()
        if value is None or isinstance(value, int | float)
    }
    return {"at": at, "model": model, "values": values}
