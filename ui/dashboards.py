"""What the Dashboard shows: click metrics with n and intervals, by day, by rank, by model."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from ui import numbers
from ui.charts import clicks_by_rank, rank_chart
from ui.tables import Column, Tile, named, table, tiles, with_note

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
        chart = rank_chart(frame, colours)
        st.altair_chart(chart, width="stretch", alt="Share of each model's clicks by rank")


def _value(metrics: Metrics, name: str) -> str:
    write = numbers.decimal if name in _AS_DECIMAL else numbers.percent
    return write(metrics[name])


def _beside(metrics: Metrics, name: str) -> str:
    """The interval of a metric, or why there is none."""
    low, high = metrics["intervals"].get(name) or (None, None)
    write = numbers.interval if name in _AS_DECIMAL else numbers.percent_interval
    return write(low, high) or numbers.in_words(metrics["reasons"].get(name))


def _dwell(metrics: Metrics) -> Tile:
    seconds = metrics["median_dwell_s"]
    value = numbers.MISSING if seconds is None else f"{seconds:.0f} s"
    return Tile("median dwell", value, numbers.in_words(metrics["reasons"].get("median_dwell_s")))
