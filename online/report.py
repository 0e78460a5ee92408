"""What users did, as `goldsmith report` and the dashboard show it.

The engine fetches sufficient statistics, `metrics` computes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, TypeVar

from online.engines import Choice, Grouping, choose, fetch
from online.lake import Connection, Lake
from online.metrics import Counts, Moments, OnlineMetrics, online_metrics

PARTS = 2520
"""Reciprocal ranks are counted in parts of 1/2520, the least common multiple of 1 to 10."""
MEDIAN_DWELL = "duckdb/median_dwell"
FIRST_ELSEWHERE = "first_click_elsewhere"
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class DayMetrics:
    """The metrics of one model version on one UTC day.

    Attributes:
        day: The UTC day.
        model_version: What ranked the results.
        metrics: What users did.
    """

    day: date
    model_version: str
    metrics: OnlineMetrics


def report(
    lake: Lake, *, start: date | None = None, end: date | None = None, model: str | None = None
) -> dict[str, Any]:
    """Online metrics overall and by model version.

    Args:
        lake: The events.
        start: First UTC day; None from the first.
        end: Last UTC day, itself included; None to the last.
        model: Only this model version; None all.

    Returns:
        {"overall": M, "by_model": {model_version: M}}; M as `OnlineMetrics.as_json`. An empty lake
        has 0 searches and rates that are None, with their reasons.

    Raises:
        OnlineError: `start` is after `end`, or the lake is damaged.
    """
    with lake.connect() as connection:
        return report_on(connection, choice_of(start, end, model))


def report_on(connection: Connection, choice: Choice) -> dict[str, Any]:
    """The report of `report` over a connection that is open already."""
    by_model = counts_of(connection, choice, "model")
    overall = _overall(connection, choice, by_model)
    return {
        "overall": online_metrics(overall).as_json(),
        "by_model": {
            name: online_metrics(counts).as_json() for name, counts in sorted(by_model.items())
        },
    }


def daily(
    lake: Lake, *, start: date | None = None, end: date | None = None, model: str | None = None
) -> list[DayMetrics]:
    """Metrics of each model version on each UTC day that has searches, in this order of days.

    Args:
        lake: The events.
        start: First UTC day; None from the first.
        end: Last UTC day, itself included; None to the last.
        model: Only this model version; None all.

    Raises:
        OnlineError: `start` is after `end`, or the lake is damaged.
    """
    choice = choice_of(start, end, model)
    with lake.connect() as connection:
        by_day = counts_of(connection, choice, "day_and_model")
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


def choice_of(start: date | None, end: date | None, model: str | None) -> Choice:
    """Which events count.

    Raises:
        OnlineError: `start` is after `end`.
    """
    return Choice(start, end, model)


def counts_of(connection: Connection, choice: Choice, grouping: Grouping) -> dict[str, Counts]:
    """group_key -> its sufficient statistics."""
    choose(connection, choice, grouping)
    return chosen_counts(connection)


def chosen_counts(connection: Connection) -> dict[str, Counts]:
    """group_key -> the sufficient statistics of what was chosen last."""
    headline = _by_group(fetch(connection, "headline"))
    clicks = _by_group(fetch(connection, "click_ranks"))
    moments = _by_group(fetch(connection, "session_moments"))
    dwell = _median_dwell(connection, headline)
    first = _first_clicks(connection, sum(_sum(r, FIRST_ELSEWHERE) for r in headline.values()))
    return {
        group: Counts(
            searches=_sum(rows, "searches"),
            best_ranks={r["best_click_rank"]: r["searches"] for r in rows if r["best_click_rank"]},
            click_ranks={row["click_rank"]: row["clicks"] for row in clicks.get(group, ())},
            clicked_without_rank=_sum(rows, "clicked_without_rank"),
            moments=moments_of(moments[group][0]) | first.moments.get(group, {}),
            conversions_logged=_sum(rows, "conversions_logged"),
            median_dwell_s=dwell.get(group),
            first_ranks=first.ranks.get(group),
        )
        for group, rows in headline.items()
    }


def _overall(connection: Connection, choice: Choice, by_model: Mapping[str, Counts]) -> Counts:
    """The statistics of all models together; only what cannot be added up is fetched anew.

    A session that saw several models is one session, so sums over sessions are no sums over models.
    """
    if len(by_model) < 2:
        return next(iter(by_model.values()), Counts())
    choose(connection, choice, "all")
    elsewhere = sum(counts.first_ranks is not None for counts in by_model.values())
    first = _first_clicks(connection, elsewhere)
    logged = any(counts.median_dwell_s is not None for counts in by_model.values())
    return Counts(
        searches=sum(counts.searches for counts in by_model.values()),
        best_ranks=_added(counts.best_ranks for counts in by_model.values()),
        click_ranks=_added(counts.click_ranks for counts in by_model.values()),
        clicked_without_rank=sum(counts.clicked_without_rank for counts in by_model.values()),
        moments=moments_of(fetch(connection, "session_moments")[0]) | first.moments.get("", {}),
        conversions_logged=sum(counts.conversions_logged for counts in by_model.values()),
        first_ranks=first.ranks.get(""),
        median_dwell_s=fetch(connection, MEDIAN_DWELL)[0]["median_dwell_s"] if logged else None,
    )


@dataclass(frozen=True, slots=True)
class _FirstClicks:
    """Of each group: ranks of the first click in time -> searches, and their sums over sessions."""

    ranks: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    moments: Mapping[str, dict[str, Moments]] = field(default_factory=dict)


def _first_clicks(connection: Connection, elsewhere: int) -> _FirstClicks:
    """Fetched only where a first click is not the best-ranked one: most logs know no such."""
    if not elsewhere:
        return _FirstClicks()
    moments = fetch(connection, "first_click_moments")
    ranks = _by_group(fetch(connection, "first_click_ranks"))
    return _FirstClicks(
        ranks={
            row["group_key"]: {
                r["first_click_rank"]: r["searches"] for r in ranks.get(row["group_key"], ())
            }
            for row in moments
        },
        moments={
            row["group_key"]: {"first_click_mrr": _moments(_in_ones(row), "reciprocal")}
            for row in moments
        },
    )


def _median_dwell(
    connection: Connection, headline: Mapping[str, list[dict[str, Any]]]
) -> dict[str, float]:
    """group_key -> median dwell time in seconds; a log that knows none is not read for it."""
    if not any(_sum(rows, "dwells_logged") for rows in headline.values()):
        return {}
    rows = fetch(connection, MEDIAN_DWELL)
    return {row["group_key"]: row["median_dwell_s"] for row in rows}


def _by_group(rows: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["group_key"], []).append(row)
    return groups


def _sum(rows: Iterable[Mapping[str, Any]], column: str) -> int:
    return sum(int(row[column]) for row in rows)


def _added(histograms: Iterable[Mapping[R, int]]) -> dict[R, int]:
    total: Counter[R] = Counter()
    for histogram in histograms:
        total.update(histogram)
    return dict(total)


def moments_of(row: Mapping[str, Any]) -> dict[str, Moments]:
    """Metric -> its sums over units, of a row of `session_moments`; reciprocal ranks in ones."""
    sums = _in_ones(row)
    return {
        "ctr": _moments(sums, "clicked"),
        "click_mrr": _moments(sums, "reciprocal"),
        "zero_result_rate": _moments(sums, "empty"),
        "conversion_rate": _moments(sums, "converted"),
        "clicks_at_1_2": _moments(sums, "top", "ranked"),
    }


def _in_ones(row: Mapping[str, Any]) -> dict[str, float]:
    """The sums of a row, reciprocal ranks in ones instead of parts."""
    sums = {name: float(number) for name, number in row.items() if name != "group_key"}
    sums["reciprocal"] /= PARTS
    sums["reciprocal_n"] /= PARTS
    sums["reciprocal_reciprocal"] /= PARTS**2
    return sums


def _moments(sums: Mapping[str, float], y: str, x: str = "n") -> Moments:
    return Moments(
        sessions=int(sums["sessions"]),
        y=sums[y],
        x=sums[x],
        y_y=sums[f"{y}_{y}"],
        x_x=sums[f"{x}_{x}"],
        y_x=sums[f"{y}_{x}"],
    )
