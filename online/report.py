"""What users did, as `goldsmith report` and the dashboard show it.

The engine fetches sufficient statistics, `metrics` computes.
"""

from dataclasses import dataclass, replace
from datetime import date
from typing import Any, TypedDict, Unpack

from online.counts import counts_of, overall_counts
from online.engines import Choice, choose, fetch, within
from online.lake import Connection, Lake
from online.metrics import OnlineMetrics, online_metrics

__all__ = [
    "DayMetrics", "Filters", "LakeSpan", "counts_of", "daily", "report", "report_on", "span",
    "tags_of", "unjoined_on",
]  # fmt: skip
EVERYTHING = Choice()


class Filters(TypedDict, total=False):
    """Attributes of a `Choice`, to be named one by one."""

    start: date | None
    end: date | None
    model: str | None
    tag: str | None
    query_class: str | None
    without_bots: bool
    zone: str


@dataclass(frozen=True, slots=True)
class DayMetrics:
    """The metrics of one model version on one day.

    Attributes:
        day: The day.
        model_version: What ranked the results.
        metrics: What users did.
    """

    day: date
    model_version: str
    metrics: OnlineMetrics


def report(lake: Lake, choice: Choice = EVERYTHING, **filters: Unpack[Filters]) -> dict[str, Any]:
    """Online metrics overall and by model version.

    Args:
        lake: The events.
        choice: Which of them count.
        filters: Attributes of the choice that are meant otherwise, such as `tag="shop"`.

    Returns:
        {"overall": M, "by_model": {model_version: M}}; M as `OnlineMetrics.as_json`. An empty lake
        has 0 searches and rates that are None, with their reasons.

    Raises:
        OnlineError: The choice makes no sense, or the lake is damaged.
    """
    with lake.connect() as connection:
        return report_on(connection, replace(choice, **filters))


def report_on(connection: Connection, choice: Choice) -> dict[str, Any]:
    """The report of `report` over a connection that is open already."""
    by_model = counts_of(connection, choice, "model")
    overall = overall_counts(connection, choice, by_model)
    return {
        "overall": online_metrics(overall).as_json(),
        "by_model": {
            name: online_metrics(counts).as_json() for name, counts in sorted(by_model.items())
        },
    }


def daily(lake: Lake, choice: Choice = EVERYTHING, **filters: Unpack[Filters]) -> list[DayMetrics]:
    """Metrics of each model version on each day that has searches, in this order of days.

    Reformulations are not looked for: that would take as long as all the rest.

    Args:
        lake: The events.
        choice: Which of them count, and in which zone the days are.
        filters: Attributes of the choice that are meant otherwise.

    Raises:
        OnlineError: The choice makes no sense, or the lake is damaged.
    """
    choice = replace(choice, **filters)
    with lake.connect() as connection:
        by_day = counts_of(connection, choice, "day_and_model", reformulation=False)
    rows = []
    for key, counts in sorted(by_day.items()):
        day, _, name = key.partition(" ")
        rows.append(DayMetrics(date.fromisoformat(day), name, online_metrics(counts)))
    return rows


@dataclass(frozen=True, slots=True)
class LakeSpan:
    """What a lake spans.

    Attributes:
        first_day: The first UTC day with searches; None in an empty lake.
        last_day: The last one.
        model_versions: All of them, sorted.
        searches: How many there are.
    """

    first_day: date | None
    last_day: date | None
    model_versions: tuple[str, ...]
    searches: int


def span(lake: Lake) -> LakeSpan:
    """The days and model versions of the lake, for whoever offers a choice of them."""
    with lake.connect() as connection:
        choose(connection, Choice(), "day_and_model")
        by_day = fetch(connection, "headline")
    keys = {str(row["group_key"]).partition(" ") for row in by_day}
    days = [date.fromisoformat(day) for day, _, _ in keys]
    return LakeSpan(
        first_day=min(days, default=None),
        last_day=max(days, default=None),
        model_versions=tuple(sorted({name for _, _, name in keys})),
        searches=sum(int(row["searches"]) for row in by_day),
    )


def tags_of(lake: Lake) -> list[str]:
    """All tags of the lake, sorted."""
    with lake.connect() as connection:
        choose(connection, Choice(), "tag")
        keys = {str(row["group_key"]) for row in fetch(connection, "headline")}
    return sorted(key.removeprefix("#") for key in keys if key)


def unjoined_on(connection: Connection, choice: Choice) -> dict[str, int]:
    """Kind, such as "click" -> how many of these happened in searches that are not known (yet).

    They count in no metric and join their searches when these are imported. Of the choice only the
    days tell something here: model, tags and query are those of the search.
    """
    rows = within(connection, "interactions", Choice(choice.start, choice.end, zone=choice.zone))
    waiting = rows.filter("joined IS FALSE AND search_id IS NOT NULL")
    waiting.create_view("unjoined", replace=True)
    return {row["kind"]: int(row["interactions"]) for row in fetch(connection, "unjoined")}
