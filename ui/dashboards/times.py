"""One metric of each model version by day or by hour, drawn with its interval as a band."""

from collections.abc import Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from builder.workspace import Workspace
from online.engines import Choice
from ui import numbers
from ui.charts import time_chart
from ui.dashboards.counting import MOST_DAYS, MOST_DAYS_OF_HOURS, Metrics, Series, Step, series_of
from ui.dashboards.figures import D3_FORMS, MEASURES, asked_in_words, drawable, file_parts
from ui.dashboards.filters import note_unoffered
from ui.downloads import Sheet, file_name, sheet_of, show_chart
from ui.frame import muted, section

if TYPE_CHECKING:
    import pandas as pd

NOT_OVER_TIME = {"reformulation_rate"}
"""Not looked for by day and hour: that takes as long as all the rest."""
STEPS: Mapping[Step, str] = {"day": "by day", "hour": "by hour"}


def show_over_time(
    workspace: Workspace, choice: Choice, overall: Metrics, colours: Mapping[str, str]
) -> None:
    """A metric over time; which one, and whether by day or hour, stands in the address.

    Drawn are the models that have a colour.
    """
    section("Over time")
    names = [name for name in drawable(overall) if name not in NOT_OVER_TIME]
    note_unoffered("metric", [MEASURES[name].title for name in names])
    note_unoffered("step", list(STEPS.values()))
    with st.container(key="over_time", horizontal=True, vertical_alignment="bottom"):
        metric = st.selectbox(
            "Metric",
            names,
            format_func=lambda name: MEASURES[name].title,
            key="metric",
            bind="query-params",
            width=240,
        )
        step = st.segmented_control(
            "Step",
            list(STEPS),
            format_func=STEPS.__getitem__,
            default="day",
            required=True,
            key="step",
            bind="query-params",
            label_visibility="collapsed",
        )
    series = series_of(workspace, choice, step)
    drawn = [point for point in series.points if point["model"] in colours]
    if all(point["values"][metric][0] is None for point in drawn):
        muted(f"{MEASURES[metric].title} cannot be computed for any {step} alone.")
        return
    _draw(series, metric, step, choice, colours)
    _say_how_much(series, metric, step, choice, colours)


def points_of(series: Series, metric: str, models: Collection[str] | None = None) -> "pd.DataFrame":
    """What `time_chart` draws, of all models or some: at, model, searches, value, low, high."""
    import pandas as pd

    rows = [
        (point["at"], point["model"], point["values"]["searches"][0], *point["values"][metric])
        for point in series.points
        if models is None or point["model"] in models
    ]
    frame = pd.DataFrame(rows, columns=["at", "model", "searches", "value", "low", "high"])
    kinds = {"value": float, "low": float, "high": float}
    return frame.astype(kinds).assign(at=pd.to_datetime(frame["at"]))


def _draw(
    series: Series, metric: str, step: Step, choice: Choice, colours: Mapping[str, str]
) -> None:
    measure = MEASURES[metric]
    models = {point["model"] for point in series.points}
    shown = {model: colour for model, colour in colours.items() if model in models}
    often = {24: "D", 6: "6h", 1: "h"}[series.hours]
    form, unit = D3_FORMS[measure.kind], ", s" * (measure.kind == "seconds")
    show_chart(
        lambda: time_chart(
            points_of(series, metric, shown), shown, measure.title + unit, form=form, often=often
        ),
        drawn_of=(series.state, choice, metric, step, tuple(shown.items())),
        title=[
            f"{measure.title} {'by 6 hours' if series.hours == 6 else STEPS[step]}",
            asked_in_words(choice),
        ],
        file=file_name(metric, STEPS[step], *file_parts(choice)),
        key="over_time",
        make=partial(_sheet, series, metric, step),
    )


def _sheet(series: Series, metric: str, step: Step) -> Sheet:
    """The points to take away; a day is a day, an hour begins at its time."""
    frame = points_of(series, metric)
    times = frame["at"].dt.strftime("%Y-%m-%d" if step == "day" else "%Y-%m-%dT%H:%M")
    return sheet_of(frame.assign(at=times))


def _say_how_much(
    series: Series, metric: str, step: Step, choice: Choice, colours: Mapping[str, str]
) -> None:
    if choice.start is not None and series.start > choice.start:
        muted(
            f"These are the last {MOST_DAYS[step]} days of those chosen, from {series.start} on: "
            "choose fewer days above to see earlier ones."
        )
    if series.hours == 6:
        muted(
            "A point is a quarter of a day, from 0, 6, 12 or 18 o'clock on: single hours are shown "
            f"of up to {MOST_DAYS_OF_HOURS} days."
        )
    drawn = [point["values"][metric] for point in series.points if point["model"] in colours]
    drawn = [point for point in drawn if point[0] is not None]
    if bare := sum(low is None for _, low, _ in drawn):
        muted(
            f"{numbers.count(bare)} of {numbers.count_of(len(drawn), 'point')} "
            f"{'has' if bare == 1 else 'have'} no band: too few sessions or searches for an "
            "interval that holds."
        )
