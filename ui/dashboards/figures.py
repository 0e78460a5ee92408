"""The metrics of a choice of searches as words and tiles, each with its interval and its n."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import streamlit as st

from online.engines import Choice
from online.metrics import NOT_LOGGED, TOP_RANKS
from ui import numbers
from ui.dashboards.counting import Metrics
from ui.dashboards.filters import CLASSES
from ui.downloads import Sheet
from ui.frame import muted
from ui.tables import Html, Tile, tiles
from ui.text import inline

Kind: TypeAlias = Literal["share", "decimal", "seconds", "number"]

D3_FORMS: Mapping[Kind, str] = {
    "share": ".1%",
    "decimal": ".3f",
    "seconds": ".1f",
    "number": ".2f",
}


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric of the report as a person reads it.

    Attributes:
        title: Its name.
        kind: How its values are written.
        needs: What the log has to tell, where not every log does.
    """

    title: str
    kind: Kind = "share"
    needs: str = ""


MEASURES: Mapping[str, Measure] = {
    "ctr": Measure("CTR"),
    "click_mrr": Measure("click-MRR", "decimal"),
    "first_click_mrr": Measure("first-click MRR", "decimal"),
    **{f"ctr_at_{k}": Measure(f"CTR@{k}") for k in TOP_RANKS},
    "clicks_at_1_2": Measure("clicks at rank 1 or 2"),
    "no_click_rate": Measure("no click"),
    "zero_result_rate": Measure("no results"),
    "reformulation_rate": Measure("reformulated"),
    "median_first_click_s": Measure("time to first click", "seconds", "times of clicks"),
    "median_dwell_s": Measure("median dwell", "seconds", "dwell times"),
    "dwell_over_30_s": Measure("dwell over 30 s", "share", "dwell times"),
    "conversion_rate": Measure("conversion", "share", "conversions"),
    "conversion_value_per_search": Measure(
        "value per search", "number", "the value of conversions"
    ),
}


_SECONDS = "\u00a0s"
_OPEN = {
    "sessions_made_up": (
        "1 of the sessions is not named by the log: it is a user's searches without 30 minutes of "
        "silence, or one search.",
        "{n} of the sessions are not named by the log: they are a user's searches without 30 "
        "minutes of silence, or one search each.",
    ),
    "results_unknown": (
        "1 search does not tell its results and is in no share of those.",
        "{n} searches do not tell their results and are in no share of those.",
    ),
    "clicks_without_rank": ("1 click has no rank.", "{n} clicks have no rank."),
    "searches_without_rank": (
        "1 clicked search has no rank and counts 0 in click-MRR.",
        "{n} clicked searches have no rank and count 0 in click-MRR.",
    ),
}
"""What one and what several leave open."""


def written(name: str, value: float | None) -> str:
    """A value of a metric, or a dash."""
    if value is None:
        return numbers.MISSING
    kind = MEASURES[name].kind
    if kind == "share":
        return numbers.percent(value)
    if kind == "decimal":
        return numbers.decimal(value)
    if kind == "seconds":
        return _in_seconds(value, value) + _SECONDS
    return f"{value:,.2f}"


def beside(name: str, metrics: Metrics) -> str:
    """The interval of a metric, or why there is none; and its n, if that is not all searches."""
    of = metrics.get("n", {}).get(name)
    n = _n(name, metrics) if of != metrics["searches"] else ""
    return " \u00b7 ".join(filter(None, [_interval_or_why(name, metrics), n]))


def show_figures(metrics: Metrics, choice: Choice) -> None:
    """All metrics of the searches that were asked for, and what they leave open.

    What the log does not tell is one line.
    """
    told = [name for name in MEASURES if name in metrics and _is_told(name, metrics)]
    shown = [
        Tile(MEASURES[name].title, written(name, metrics[name]), _lines(name, metrics))
        for name in told
    ]
    st.html(tiles([_searches(metrics), *shown]))
    muted(" ".join(_counted(metrics, choice)))


def _counted(metrics: Metrics, choice: Choice) -> Iterator[str]:
    """What is in the figures and what is not, in sentences."""
    if bots := metrics["bot_searches"]:
        one = bots == 1
        are = ("is" if one else "are") + " left out" if choice.without_bots else "count" + "s" * one
        searches = f"{numbers.count(bots)} search{'' if one else 'es'}"
        yield f"{searches} of sessions that behave like bots {are}."
    for name, (one, several) in _OPEN.items():
        if n := metrics.get(name):
            yield one if n == 1 else several.format(n=numbers.count(n))
    if metrics.get("conversion_value") is not None:
        yield f"All conversions together are worth {metrics['conversion_value']:,.2f}."
    unknown = [name for name in MEASURES if metrics["reasons"].get(name) == NOT_LOGGED]
    needs = dict.fromkeys(MEASURES[name].needs for name in unknown)
    if missing := ", ".join(filter(None, [*needs, "users" * (metrics["users"] is None)])):
        yield f"The log does not tell: {missing}."


def sheet_of_groups(first: str, groups: Mapping[str, Metrics]) -> Sheet:
    """A table to take away: a group in each row, each metric with low and high beside it."""
    names = [n for n in MEASURES if any(m.get(n) is not None for m in groups.values())]
    columns = [first, "searches", "sessions"]
    columns += [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
    return Sheet(columns, [_cells(group, metrics, names) for group, metrics in groups.items()])


def asked_in_words(choice: Choice) -> str:
    """Which searches are meant, for the title of a picture."""
    parts = [
        f"{choice.start} to {choice.end} ({choice.zone})",
        choice.model and f"model {choice.model}",
        choice.tag and f"tag {choice.tag}",
        choice.query_class and f"queries: {CLASSES[choice.query_class]}",
        "without bots" if choice.without_bots else "",
    ]
    return " \u00b7 ".join(filter(None, parts))


def file_parts(choice: Choice) -> Sequence[object]:
    """Which searches are meant, for the name of a file."""
    found = (choice.start, choice.end, choice.model, choice.tag, choice.query_class)
    bots = "without-bots" if choice.without_bots else None
    return [part for part in (*found, bots) if part]


def drawable(metrics: Metrics) -> list[str]:
    """The metrics that have a value, in their order."""
    return [name for name in MEASURES if metrics.get(name) is not None]


def _searches(metrics: Metrics) -> Tile:
    users = metrics.get("users")
    beside = [numbers.count_of(metrics["sessions"], "session")]
    if users:
        beside.append(numbers.count_of(users, "user"))
    return Tile("searches", numbers.count(metrics["searches"]), f"in {' of '.join(beside)}")


def _lines(name: str, metrics: Metrics) -> Html:
    """The interval of a metric or why there is none, and below it its n."""
    lines = filter(None, [_interval_or_why(name, metrics), _n(name, metrics)])
    return Html("<br>".join(map(inline, lines)))


def _interval_or_why(name: str, metrics: Metrics) -> str:
    low, high = metrics["intervals"].get(name) or (None, None)
    reason = metrics["reasons"].get(name) or metrics["interval_reasons"].get(name)
    return _interval(name, metrics.get(name), low, high) or numbers.in_words(reason)


def _n(name: str, metrics: Metrics) -> str:
    of = metrics.get("n", {}).get(name)
    return "" if of is None else f"n\u00a0=\u00a0{numbers.count(of)}"


def _is_told(name: str, metrics: Metrics) -> bool:
    """Whether a metric has a tile of its own."""
    if name == "first_click_mrr" and metrics[name] == metrics["click_mrr"]:
        return False
    return bool(metrics["reasons"].get(name) != NOT_LOGGED)


def _interval(name: str, value: float | None, low: float | None, high: float | None) -> str:
    kind = MEASURES[name].kind
    if kind == "share":
        return numbers.percent_interval(low, high)
    if kind == "decimal" or low is None or high is None:
        return numbers.interval(low, high)
    if kind == "seconds":
        ends = (_in_seconds(end, value or 0.0) for end in (low, high))
        return "\u2013".join(ends) + _SECONDS
    return f"{written(name, low)}\u2013{written(name, high)}"


def _in_seconds(seconds: float, value: float) -> str:
    """A time as precise as the value that it belongs to: a tenth of a second under 10 s."""
    return f"{seconds:.1f}" if value < 10 else f"{seconds:,.0f}"


def _cells(group: str, metrics: Metrics, names: Iterable[str]) -> list[object]:
    cells: list[object] = [group, metrics["searches"], metrics["sessions"]]
    for name in names:
        cells += [metrics.get(name), *(metrics["intervals"].get(name) or (None, None))]
    return cells
