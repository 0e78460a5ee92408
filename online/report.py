"""What users did, as `goldsmith report` and the dashboard show it.

The engine fetches sufficient statistics, `metrics` computes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from online.engines import Choice, statistics
from online.events import OnlineError
from online.lake import Lake
from online.metrics import Counts, Moments, OnlineMetrics, online_metrics

MILLION = 1_000_000
"""Reciprocal ranks are counted in millionths."""


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
    choice = _choice(start, end, model)
    with lake.connect() as connection:
        overall = _grouped(statistics(connection, choice, "all")).get("", Counts())
        by_model = _grouped(statistics(connection, choice, "model"))
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
    choice = _choice(start, end, model)
    with lake.connect() as connection:
        by_day = _grouped(statistics(connection, choice, "day_and_model"))
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
        by_day = statistics(connection, Choice(), "day_and_model")["headline"]
    keys = sorted(str(row["group_key"]).partition(" ") for row in by_day)
    days = [date.fromisoformat(day) for day, _, _ in keys]
    return LakeSpan(
        first_day=min(days, default=None),
        last_day=max(days, default=None),
        model_versions=tuple(sorted({name for _, _, name in keys})),
        searches=sum(int(row["searches"]) for row in by_day),
    )


def _choice(start: date | None, end: date | None, model: str | None) -> Choice:
    if start is not None and end is not None and start > end:
        raise OnlineError(
            f"the first day, {start}, is after the last, {end}", hint="Swap --from and --to."
        )
    return Choice(start, end, model)


def _grouped(found: Mapping[str, list[dict[str, Any]]]) -> dict[str, Counts]:
    """group_key -> its sufficient statistics."""
    best = _ranks(found["best_ranks"], "searches")
    clicks = _ranks(found["click_ranks"], "clicks")
    moments = {row["group_key"]: _moments(row) for row in found["session_moments"]}
    dwell = {row["group_key"]: row["median_dwell_s"] for row in found["median_dwell"]}
    return {
        row["group_key"]: Counts(
            searches=row["searches"],
            best_ranks=best.get(row["group_key"], {}),
            click_ranks=clicks.get(row["group_key"], {}),
            clicked_without_rank=int(row["clicked_without_rank"]),
            moments=moments[row["group_key"]],
            conversions_logged=row["conversions_logged"],
            median_dwell_s=dwell.get(row["group_key"]),
        )
        for row in found["headline"]
    }


def _ranks(rows: Iterable[Mapping[str, Any]], counted: str) -> dict[str, dict[Any, int]]:
    by_group: dict[str, dict[Any, int]] = {}
    for row in rows:
        by_group.setdefault(row["group_key"], {})[row["click_rank"]] = int(row[counted])
    return by_group


def _moments(row: Mapping[str, Any]) -> dict[str, Moments]:
    """Metric -> its sums over sessions; of reciprocal ranks in ones, not millionths."""
    sums = {name: float(number) for name, number in row.items() if name != "group_key"}
    sums["reciprocal"] /= MILLION
    sums["reciprocal_n"] /= MILLION
    sums["reciprocal_reciprocal"] /= MILLION**2

    def of(y: str, x: str = "n") -> Moments:
        return Moments(
            sessions=int(sums["sessions"]),
            y=sums[y],
            x=sums[x],
            y_y=sums[f"{y}_{y}"],
            x_x=sums[f"{x}_{x}"],
            y_x=sums[f"{y}_{x}"],
        )

    return {
        "ctr": of("clicked"),
        "click_mrr": of("reciprocal"),
        "zero_result_rate": of("empty"),
        "conversion_rate": of("converted"),
        "clicks_at_1_2": of("top", "ranked"),
    }
