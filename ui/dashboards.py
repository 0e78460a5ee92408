"""What the Dashboard shows: click metrics with n and intervals, by day, by rank, by model."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from builder.workspace import Workspace
from online.lake import Lake
from online.report import DayMetrics, LakeSpan, daily, report, span
from ui import numbers
from ui.charts import clicks_by_rank, daily_chart, rank_chart
from ui.frame import muted, section
from ui.tables import Column, Tile, named, table, tiles, with_note

if TYPE_CHECKING:
    import pandas as pd

Metrics = Mapping[str, Any]
"""One M of the report: metric -> value, with `intervals` and `reasons` beside them."""

SHARES = {
    "ctr": "CTR",
    "click_mrr": "click-MRR",
    "no_click_rate": "no click",
    "clicks_at_1_2": "clicks at rank 1 or 2",
    "zero_result_rate": "no results",
    "conversion_rate": "conversion",
}
_AS_DECIMAL = {"click_mrr"}
_BY_MODEL = ("ctr", "click_mrr", "clicks_at_1_2", "zero_result_rate")
DRAWN = {"ctr": "CTR", "click_mrr": "click-MRR"}


class Seen(NamedTuple):
    """What users did in the days and with the model that were asked for."""

    overall: Metrics
    by_model: Mapping[str, Metrics]
    days: Sequence[DayMetrics]


def span_of(workspace: Workspace) -> LakeSpan:
    """Which days and model versions there are."""
    lake = workspace.lake
    return _span(str(lake.root), lake.version)


def seen(workspace: Workspace, start: date, end: date, model: str | None) -> Seen:
    """The metrics from the first to the last day, both included; the second look is cached.

    Raises:
        OnlineError: `start` is after `end`, or the lake is damaged.
    """
    lake = workspace.lake
    return _seen(str(lake.root), lake.version, start, end, model)


def show_figures(metrics: Metrics) -> None:
    """The metrics of all searches that were asked for."""
    searches = Tile(
        "searches",
        numbers.count(metrics["searches"]),
        f"in {numbers.count(metrics['sessions'])} sessions",
    )
    shares = [
        Tile(title, _value(metrics, name), _beside(metrics, name)) for name, title in SHARES.items()
    ]
    st.html(tiles([searches, *shares, _dwell(metrics)]))


def show_by_model(by_model: Mapping[str, Metrics], colours: Mapping[str, str]) -> None:
    """The same metrics for each model version."""
    columns = [Column("model version"), Column("searches", numeric=True)]
    columns += [Column(SHARES[name], numeric=True) for name in _BY_MODEL]
    rows = [
        [
            named(model, colours[model]),
            numbers.count(metrics["searches"]),
            *(with_note(_value(metrics, name), _beside(metrics, name)) for name in _BY_MODEL),
        ]
        for model, metrics in by_model.items()
    ]
    st.html(table(columns, rows))


def show_clicks_by_rank(by_model: Mapping[str, Metrics], colours: Mapping[str, str]) -> None:
    """At which ranks each model's users clicked."""
    frame = clicks_by_rank({model: m["clicks_by_rank"] for model, m in by_model.items()})
    if not frame.empty:
        section("Clicks by rank")
        chart = rank_chart(frame, colours)
        st.altair_chart(chart, width="stretch", alt="Share of each model's clicks by rank")


def show_by_day(days: Sequence[DayMetrics], metric: str, colours: Mapping[str, str]) -> None:
    """One metric over the days, its interval as a band."""
    frame = _day_frame(days, metric)
    if not frame.empty:
        chart = daily_chart(frame, colours, DRAWN[metric])
        st.altair_chart(chart, width="stretch", alt=f"{DRAWN[metric]} of each model by day")


def show_what_is_counted(metrics: Metrics) -> None:
    """What the rates are shares of, and how their intervals are made."""
    searches, clicks = numbers.count(metrics["searches"]), numbers.count(metrics["clicks"])
    muted(
        f"Rates are shares of {searches} searches; clicks by rank, of {clicks} clicks, "
        f"{numbers.count(metrics['clicks_without_rank'])} of them without a rank. "
        "Intervals are 95 %, clustered by session. Days are UTC days."
    )


@st.cache_data(max_entries=8, show_spinner=False)
def _span(root: str, version: str) -> LakeSpan:  # noqa: ARG001 - part of the key
    return span(Lake(Path(root)))


@st.cache_data(max_entries=64, show_spinner="Counting searches \u2026")
def _seen(
    root: str,
    version: str,  # noqa: ARG001 - part of the key
    start: date,
    end: date,
    model: str | None,
) -> Seen:
    lake = Lake(Path(root))
    counted = report(lake, start=start, end=end, model=model)
    days = daily(lake, start=start, end=end, model=model)
    return Seen(counted["overall"], counted["by_model"], days)


def _day_frame(days: Sequence[DayMetrics], metric: str) -> "pd.DataFrame":
    import pandas as pd

    rows = []
    for day in days:
        estimate = day.metrics.estimates[metric]
        values = (estimate.value, estimate.low, estimate.high)
        rows.append((pd.Timestamp(day.day), day.model_version, *values))
    return pd.DataFrame(rows, columns=["day", "model", "value", "low", "high"])


def _value(metrics: Metrics, name: str) -> str:
    write = numbers.decimal if name in _AS_DECIMAL else numbers.percent
    return write(metrics[name])


def _beside(metrics: Metrics, name: str) -> str:
    """The interval of a metric, or why there is none."""
    low, high = metrics["intervals"].get(name) or (None, None)
    write = numbers.interval if name in _AS_DECIMAL else numbers.percent_interval
    reason = metrics["reasons"].get(name) or metrics["interval_reasons"].get(name)
    why = numbers.in_words(reason)
    return write(low, high) or why or f"of {numbers.count(metrics['searches'])}"


def _dwell(metrics: Metrics) -> Tile:
    seconds = metrics["median_dwell_s"]
    value = numbers.MISSING if seconds is None else f"{seconds:.0f} s"
    return Tile("median dwell", value, numbers.in_words(metrics["reasons"].get("median_dwell_s")))
