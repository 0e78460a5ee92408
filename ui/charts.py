"""Charts: the same colours everywhere, intervals drawn, readable on a phone and in the dark.

Streamlit's Altair theme colours axes and text for light and dark; what is ours is the palette and
the form. Altair is imported where a chart is drawn, so that grading never waits for it.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

# Okabe and Ito (2008), Color universal design; the faint ones on white come last.
OKABE_ITO = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#8C8C8C",
    "#F0E442",
)
LAST_RANK = 10
"""Clicks at deeper ranks are shown as one bar."""


def model_colours(file: Path, models: Iterable[str]) -> dict[str, str]:
    """The colour of each model; a model keeps it on every page and when others come.

    Args:
        file: Where the workspace notes the order in which models were first seen; losing it
            costs nothing but the colours.
        models: The models to be shown now.
    """
    shown = sorted(set(models))
    known = _models_seen(file)
    new = [model for model in shown if model not in known]
    if new:
        known = [*known, *new]
        _write_models(file, known)
    return {model: OKABE_ITO[known.index(model) % len(OKABE_ITO)] for model in shown}


def score_chart(scores: "pd.DataFrame", colours: Mapping[str, str], title: str) -> "alt.LayerChart":
    """One dot a model with its 95 % interval, best first.

    Args:
        scores: Columns model, value, low, high.
        colours: Model -> colour.
        title: Name of the measure, ours.
    """
    import altair as alt

    order = scores.sort_values("value", ascending=False)["model"].tolist()
    base = alt.Chart(scores).encode(
        y=alt.Y("model:N", sort=order, title=None, axis=alt.Axis(labelLimit=160)),
        color=alt.Color("model:N", scale=_scale(colours), legend=None),
    )
    span = base.mark_rule(strokeWidth=3, opacity=0.6).encode(
        x=alt.X(
            "low:Q",
            title=title,
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1]),
        ),
        x2="high:Q",
    )
    dot = base.mark_point(filled=True, size=110, opacity=1).encode(
        x="value:Q", tooltip=_tooltip(title, "model:N")
    )
    chart: alt.LayerChart = (span + dot).properties(height=alt.Step(34))
    return chart


def daily_chart(days: "pd.DataFrame", colours: Mapping[str, str], title: str) -> "alt.LayerChart":
    """A line a model over the days, its 95 % interval as a band.

    Args:
        days: Columns day, model, value, low, high; days without a value are gaps.
        colours: Model -> colour.
        title: Name of the measure, ours.
    """
    import altair as alt

    base = alt.Chart(days).encode(
        x=alt.X("day:T", title=None, axis=alt.Axis(format="%d %b", tickCount=6, grid=False)),
        color=alt.Color("model:N", scale=_scale(colours), legend=_legend()),
    )
    band = base.mark_area(opacity=0.18).encode(
        y=alt.Y("low:Q", title=title, scale=alt.Scale(zero=False)), y2="high:Q"
    )
    line = base.mark_line(point=alt.OverlayMarkDef(size=25), strokeWidth=2).encode(
        y="value:Q", tooltip=_tooltip(title, "model:N", alt.Tooltip("day:T", format="%Y-%m-%d"))
    )
    chart: alt.LayerChart = (band + line).properties(height=320)
    return chart


def effect_chart(days: "pd.DataFrame", colour: str, title: str) -> "alt.LayerChart":
    """A dot a day for treatment minus control, its 95 % interval, and the line of no effect.

    Args:
        days: Columns day, value, low, high, searches (of both arms); days without a value are
            gaps, days without an interval bare dots.
        colour: Of the treatment.
        title: Name of the difference and its unit, ours.
    """
    import altair as alt
    import pandas as pd

    base = alt.Chart(days).encode(
        x=alt.X(
            "day:T",
            title=None,
            axis=alt.Axis(format="%d %b", values=_some_days(days), grid=False),
            scale=alt.Scale(padding=10),
        )
    )
    nothing = (
        alt.Chart(pd.DataFrame({"zero": [0.0]}))
        .mark_rule(strokeDash=[4, 4], color="#8C8C8C", strokeWidth=1.5)
        .encode(y="zero:Q")
    )
    signed = alt.Axis(
        format="+", tickCount=6, labelExpr="datum.value === 0 ? '0' : datum.label", titlePadding=8
    )
    span = base.mark_rule(strokeWidth=3, opacity=0.65, color=colour).encode(
        y=alt.Y("low:Q", title=title, axis=signed), y2="high:Q"
    )
    day = alt.Tooltip("day:T", format="%Y-%m-%d")
    dot = base.mark_point(filled=True, size=55, opacity=1, color=colour).encode(
        y="value:Q", tooltip=_tooltip(title, day, alt.Tooltip("searches:Q", format=","))
    )
    chart: alt.LayerChart = (nothing + span + dot).properties(height=300)
    return chart


def rank_chart(clicks: "pd.DataFrame", colours: Mapping[str, str]) -> "alt.Chart":
    """Each model's clicks by rank, as shares of that model's clicks.

    Args:
        clicks: Columns rank ("1" … "10", "11+"), model, share (0 to 1), clicks (whole number).
        colours: Model -> colour.
    """
    import altair as alt

    order = [str(rank) for rank in range(1, LAST_RANK + 1)] + [f"{LAST_RANK + 1}+"]
    chart: alt.Chart = (
        alt.Chart(clicks)
        .mark_bar()
        .encode(
            x=alt.X("rank:N", sort=order, title="rank", axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("model:N", sort=list(colours)),
            y=alt.Y("share:Q", title="share of clicks", axis=alt.Axis(format="%", tickCount=4)),
            color=alt.Color("model:N", scale=_scale(colours), legend=_legend()),
            tooltip=["model:N", "rank:N", "clicks:Q", alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(height=300)
    )
    return chart


def clicks_by_rank(by_model: Mapping[str, Mapping[str, int]]) -> "pd.DataFrame":
    """What `rank_chart` draws, of model -> rank -> clicks; the deep ranks become one."""
    import pandas as pd

    rows = [row for model, ranks in by_model.items() for row in _rank_rows(model, ranks)]
    return pd.DataFrame(rows, columns=["rank", "model", "share", "clicks"])


def _rank_rows(model: str, ranks: Mapping[str, int]) -> list[tuple[str, str, float, int]]:
    total = sum(ranks.values())
    if total == 0:
        return []
    bins = {str(rank): ranks.get(str(rank), 0) for rank in range(1, LAST_RANK + 1)}
    deep = total - sum(bins.values())
    if deep:
        bins[f"{LAST_RANK + 1}+"] = deep
    return [(rank, model, clicks / total, clicks) for rank, clicks in bins.items()]


def _scale(colours: Mapping[str, str]) -> "alt.Scale":
    import altair as alt

    return alt.Scale(domain=list(colours), range=list(colours.values()))


def _some_days(days: "pd.DataFrame") -> list[Any]:
    """At most six of the days, evenly spaced: an axis of two days would name each several times."""
    import altair as alt

    there = sorted(days["day"].unique())
    step = -(-len(there) // 6)
    return [alt.DateTime(year=d.year, month=d.month, date=d.day) for d in there[::step]]


def _legend() -> "alt.Legend":
    import altair as alt

    return alt.Legend(
        orient="top", title=None, labelLimit=200, symbolOpacity=1, symbolType="circle", offset=4
    )


def _tooltip(title: str, *fields: Any) -> list[Any]:
    import altair as alt

    numbers = (("value:Q", title), ("low:Q", "low (95 %)"), ("high:Q", "high (95 %)"))
    return [*fields, *(alt.Tooltip(f, title=name, format=".3f") for f, name in numbers)]


def _models_seen(file: Path) -> list[str]:
    try:
        seen = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return []
    return [model for model in seen if isinstance(model, str)] if isinstance(seen, list) else []


def _write_models(file: Path, models: Sequence[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    scratch = file.with_name(f".{file.name}.{os.getpid()}")
    scratch.write_text(json.dumps(models, ensure_ascii=False), encoding="utf-8")
    scratch.replace(file)
