"""What users did by day, hour, tag, class and model, as `goldsmith report --by` shows it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias, Unpack

from estimates import Estimate
from online.counts import counts_of
from online.engines import Choice, Grouping
from online.lake import Connection, Lake
from online.metrics import Counts, Moments, OnlineMetrics, online_metrics
from online.report import EVERYTHING, Filters, report_on
from online.zones import zone_of

By: TypeAlias = Literal["day", "hour", "tag", "class", "model"]
FEWEST_SESSIONS, FEWEST_EACH = 10, 5
FEWEST_CONVERSIONS = 100
VALUE_PER_SEARCH = "conversion_value_per_search"
TOO_FEW = "too_few_for_an_interval"


def report_by(
    lake: Lake, by: By, choice: Choice = EVERYTHING, **filters: Unpack[Filters]
) -> dict[str, Any]:
    """The report of `report`, and beside it the same metrics by what parts the searches.

    A session that goes on past midnight counts in both days, as does a search with two tags in
    both of these: tags do not add up to the whole.

    Args:
        lake: The events.
        by: What the searches are parted by.
        choice: Which of them count, and in which zone the days and hours are.
        filters: Attributes of the choice that are meant otherwise, such as `tag="shop"`.

    Returns:
        As `report`, and one of
        "by_day": {"2026-11-30": M}, "by_hour": {"2026-11-30T12:00Z": M} (with the offset of the
        zone, where it is not UTC), in the order of time and without those that have no searches;
        "by_tag": {tag: M}, and "untagged": M of the searches without tags (None: there are none);
        "by_class": {class: M}, and "by_class_and_model": {class: {model_version: M}};
        nothing more for "model", as "by_model" is there in any case.
        Intervals are those of `report`, but only where `holds` says so.

    Raises:
        OnlineError: The choice makes no sense, or the lake is damaged.
    """
    choice = replace(choice, **filters)
    with lake.connect() as connection:
        return report_on(connection, choice) | slice_on(connection, by, choice)


def slice_on(connection: Connection, by: By, choice: Choice) -> dict[str, Any]:
    """What `report_by` adds to the report, over a connection that is open already."""
    slices: dict[By, Callable[[Connection, Choice], dict[str, Any]]] = {
        "day": _by_day,
        "hour": _by_hour,
        "tag": _by_tag,
        "class": _by_class,
    }
    return slices[by](connection, choice) if by in slices else {}


def _by_day(connection: Connection, choice: Choice) -> dict[str, Any]:
    return {"by_day": _documents(connection, choice, "day")}


def _by_hour(connection: Connection, choice: Choice) -> dict[str, Any]:
    found = _documents(connection, choice, "hour", key=int)
    return {"by_hour": {_hour(key, choice.zone): metrics for key, metrics in found.items()}}


def _by_tag(connection: Connection, choice: Choice) -> dict[str, Any]:
    found = _documents(connection, choice, "tag")
    untagged = found.pop("", None)
    return {
        "by_tag": {key.removeprefix("#"): metrics for key, metrics in found.items()},
        "untagged": untagged,
    }


def _by_class(connection: Connection, choice: Choice) -> dict[str, Any]:
    by_class: dict[str, dict[str, Any]] = {}
    for key, metrics in _documents(connection, choice, "class_and_model").items():
        name, _, model = key.partition(" ")
        by_class.setdefault(name, {})[model] = metrics
    return {
        "by_class": _documents(connection, choice, "class"),
        "by_class_and_model": by_class,
    }


def _documents(
    connection: Connection,
    choice: Choice,
    grouping: Grouping,
    key: Callable[[str], Any] = str,
) -> dict[str, dict[str, Any]]:
    counts = counts_of(connection, choice, grouping)
    return {name: careful_metrics(counts[name]).as_json() for name in sorted(counts, key=key)}


def _hour(seconds_since_1970: str, zone: str) -> str:
    """The begin of an hour, such as 2026-11-30T12:00Z; of another zone, 2026-11-30T13:00+01:00."""
    begun = datetime.fromtimestamp(int(seconds_since_1970), UTC)
    if zone == "UTC":
        return begun.strftime("%Y-%m-%dT%H:%MZ")
    return begun.astimezone(zone_of(zone)).isoformat(timespec="minutes")


def careful_metrics(counts: Counts) -> OnlineMetrics:
    """The metrics of a group that may be small: without the intervals that would not hold."""
    metrics = online_metrics(counts)
    sums = counts.moments
    beside = {"no_click_rate": sums.get("ctr"), "first_click_mrr": sums.get("click_mrr")}
    sure = {name: holds(of_it) for name, of_it in (beside | dict(sums)).items() if of_it}
    sure[VALUE_PER_SEARCH] = value_holds(sums.get("conversion_rate"))
    checked = {
        name: _checked(estimate, sure=sure.get(name, True))
        for name, estimate in metrics.estimates.items()
    }
    return replace(metrics, estimates=checked)


def _checked(estimate: Estimate, *, sure: bool) -> Estimate:
    if estimate.low is None or sure:
        return estimate
    return Estimate(estimate.value, n=estimate.n, reason=TOO_FEW)


def holds(moments: Moments) -> bool:
    """Whether the interval of `ratio` covers what it promises.

    From 10 sessions on, if at least 5 searches speak for and 5 against (in click-MRR: if the
    reciprocal ranks sum up to 5 and stay 5 below the searches), 93 to 99 % of the intervals hold
    the truth; without these conditions it may be under 60 % (simulated, tests/online).
    """
    least = min(moments.y, moments.x - moments.y)
    return moments.sessions >= FEWEST_SESSIONS and least >= FEWEST_EACH


def value_holds(converted: Moments | None) -> bool:
    """The same for the mean of amounts: whether 100 searches or more converted.

    Then about 93 % of the intervals hold the truth if amounts are spread as a log-normal of s.d. 1
    (one in ten is 3.6 times the median); with s.d. 1.5 (6.8 times) 87 %, as a mean that rests on
    few large amounts is never sure (simulated, tests/online).
    """
    return converted is not None and converted.y >= FEWEST_CONVERSIONS
