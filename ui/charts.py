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
MOST_TICKS = 5
MOST_DOTS = 70
"""Points of more days or hours are small: the line tells what matters."""
FEWEST_DAYS = 3
"""Hours of fewer days are named by hour."""
LETTER_PX = 7
LONGEST_LABEL = 34
"""Letters of a model's name that a legend shows."""
PHONE_PX = 480
"""Charts narrower than this have a legend of two columns, with shorter names."""


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


def drawn_colours(searches: Mapping[str, int], colours: Mapping[str, str]) -> dict[str, str]:
    """The models that a chart draws and their colours, no two of them alike.

    There are as many as colours: those with the most searches, in the order of their names. Each
    has the colour that it has everywhere; where a busier one has the same, it takes a free one.

    Args:
        searches: Model -> how many searches it answered.
        colours: Model -> the colour that it has everywhere.
    """
    busiest = sorted(searches, key=lambda model: (-searches[model], model))[: len(OKABE_ITO)]
    drawn: dict[str, str] = {}
    for model in busiest:
        if colours[model] not in drawn.values():
            drawn[model] = colours[model]
    free = [colour for colour in OKABE_ITO if colour not in drawn.values()]
    drawn |= zip((model for model in busiest if model not in drawn), free, strict=False)
    return {model: drawn[model] for model in sorted(drawn)}


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


def time_chart(
    points: "pd.DataFrame",
    colours: Mapping[str, str],
    title: str,
    *,
    form: str = ".3f",
    often: str = "",
) -> "alt.LayerChart":
    """A line a model over days or hours, its 95 % interval as a band.

    Args:
        points: Columns at, model, value, low, high; `at` is the time of the wall clock, without a
            zone. Where a model lacks a day or hour its line is broken.
        colours: Model -> colour.
        title: Name of the measure, ours.
        form: How values are written, in d3's language, such as ".1%".
        often: How far points are apart, as pandas names it, such as "6h"; "" for days or hours.
    """
    import altair as alt

    whole = _with_gaps(points, often)
    times = sorted(whole["at"].unique())
    # The clock is the workspace's wherever the browser is: it is drawn as if it were UTC.
    base = alt.Chart(_values(_in_utc(whole))).encode(
        x=alt.X("at:T", title=None, axis=_time_axis(times), scale=alt.Scale(type="utc")),
        color=alt.Color("model:N", scale=_scale(colours), legend=_legend(colours)),
    )
    axis = alt.Axis(format=_axis_form(form), tickCount=5, labelFlush=False)
    scale = alt.Scale(domain=_value_domain(points), nice=5, zero=False)
    band = base.mark_area(opacity=0.18).encode(
        y=alt.Y("low:Q", title=title, axis=axis, scale=scale), y2="high:Q"
    )
    size, width = (25, 2) if len(times) <= MOST_DOTS else (6, 1.2)
    when = alt.Tooltip("when:N", title="from" if _are_hours(times) else "day")
    line = base.mark_line(point=alt.OverlayMarkDef(size=size), strokeWidth=width).encode(
        y="value:Q", tooltip=_tooltip(title, "model:N", when, form=form)
    )
    chart: alt.LayerChart = (band + line).properties(height=340 + _legend_px(colours))
    return chart


def effect_chart(days: "pd.DataFrame", colour: str, title: str) -> "alt.LayerChart":
    """A dot a day for treatment minus control, its 95 % interval, and the line of no effect.

    Args:
        days: Columns at, value, low, high, searches (of both arms); days without a value are
            gaps, days without an interval bare dots.
        colour: Of the treatment.
        title: Name of the difference and its unit, ours.
    """
    import altair as alt

    base = alt.Chart(_values(_in_utc(days))).encode(
        x=alt.X(
            "at:T",
            title=None,
            axis=_time_axis(sorted(days["at"].unique())),
            scale=alt.Scale(type="utc", padding=10),
        )
    )
    nothing = (
        alt.Chart(alt.InlineData(values=[{"zero": 0}]))
        .mark_rule(strokeDash=[4, 4], color="#8C8C8C", strokeWidth=1.5)
        .encode(y="zero:Q")
    )
    signed = alt.Axis(
        format="+,~f",
        tickCount=6,
        labelExpr="datum.value === 0 ? '0' : datum.label",
        labelFlush=False,
        titlePadding=8,
    )
    span = base.mark_rule(strokeWidth=3, opacity=0.65, color=colour).encode(
        y=alt.Y("low:Q", title=title, axis=signed), y2="high:Q"
    )
    day = alt.Tooltip("when:N", title="day")
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
    level = alt.Axis(labelAngle=0, titlePadding=4)
    shares = alt.Axis(format="%", tickCount=4, labelFlush=False)
    chart: alt.Chart = (
        alt.Chart(_values(clicks))
        .mark_bar()
        .encode(
            x=alt.X("rank:N", sort=order, title="rank", axis=level),
            xOffset=alt.XOffset("model:N", sort=list(colours)),
            y=alt.Y("share:Q", title="share of clicks", axis=shares),
            color=alt.Color("model:N", scale=_scale(colours), legend=_legend(colours)),
            tooltip=["model:N", "rank:N", "clicks:Q", alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(height=280 + _legend_px(colours))
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


def _values(frame: "pd.DataFrame") -> "alt.InlineData":
    """The rows inside the chart: Altair's ways to keep them outside are the whole process's."""
    import altair as alt

    times = {name: frame[name].map(str) for name in frame.select_dtypes("datetimetz")}
    rows = frame.assign(**times).astype(object)
    return alt.InlineData(values=rows.where(rows.notna(), None).to_dict("records"))


def _with_gaps(points: "pd.DataFrame", often: str = "") -> "pd.DataFrame":
    """The points, and an empty one for each day or hour between that a model lacks."""
    import pandas as pd

    if points.empty:
        return points
    often = often or ("h" if _are_hours(points["at"]) else "D")
    times = pd.date_range(points["at"].min(), points["at"].max(), freq=often)
    every = pd.MultiIndex.from_product([times, points["model"].unique()], names=["at", "model"])
    # Of the two hours of one name in autumn the second stands beside the first.
    there = pd.MultiIndex.from_frame(points[["at", "model"]])
    missing = every.difference(there).to_frame(index=False)
    return pd.concat([points, missing]).sort_values(["at", "model"], ignore_index=True)


def _in_utc(points: "pd.DataFrame") -> "pd.DataFrame":
    """The points with `at` in UTC, and `when` as a person writes that time."""
    form = "%Y-%m-%d %H:%M" if _are_hours(points["at"]) else "%Y-%m-%d"
    when = points["at"].dt.strftime(form)
    return points.assign(at=points["at"].dt.tz_localize("UTC"), when=when)


def _are_hours(times: "Iterable[pd.Timestamp]") -> bool:
    return any(time.hour for time in times)


def _time_axis(times: "Sequence[pd.Timestamp]") -> "alt.Axis":
    """Few ticks, evenly spaced, each at a point: a phone has room for no more."""
    import altair as alt

    hours = _are_hours(times)
    days = [time for time in times if time.hour == 0] if hours else list(times)
    by_hour = hours and len(days) < FEWEST_DAYS
    ticked = times if by_hour else days
    most = 3 if by_hour else MOST_TICKS
    values = [
        alt.DateTime(year=t.year, month=t.month, date=t.day, hours=t.hour, utc=True)
        for t in ticked[:: -(-len(ticked) // most) or 1]
    ]
    form = "%-d %b %H:%M" if by_hour else "%-d %b"
    return alt.Axis(format=form, values=values, grid=False, labelFlush=False)


def _axis_form(form: str) -> str:
    """Values on an axis need fewer digits than the ones that are told: as many as tell its ticks.

    Never in powers of ten, as d3's "g" writes 30 beside 40.
    """
    return "%" if form.endswith("%") else ",~f"


def _value_domain(points: "pd.DataFrame") -> list[float]:
    """From 0 to the largest value; not from 0 where that would hide what the intervals tell.

    That is: where the values take less than a third of the height above 0, and most of them have
    an interval, so that small differences are no chance. Values of one size have an axis, too.
    """
    ends = points[["value", "low", "high"]]
    lowest, highest = float(ends.min().min()), float(ends.max().max())
    spread = highest - lowest
    sure = points["low"].notna().sum() * 2 > points["value"].notna().sum()
    if lowest > 2 * spread > 0 and sure:
        return [lowest, highest]
    bottom, top = min(lowest, 0.0), max(highest, 0.0)
    return [bottom, top if top > bottom else 1.0]


def _legend(colours: Mapping[str, str]) -> "alt.Legend":
    """Below the chart, in as many columns as there is room for; on a phone with shorter names."""
    import altair as alt

    longest = LETTER_PX * min(max(map(len, colours), default=1), LONGEST_LABEL) + 34
    narrow = longest if len(colours) <= 3 else min(longest, 145)
    short = LETTER_PX * LONGEST_LABEL if narrow == longest else narrow - 30
    wide = f"(width < {PHONE_PX} ? {narrow} : {longest})"
    return alt.Legend(
        orient="bottom",
        title=None,
        columns=alt.ExprRef(f"max(1, floor(width / {wide}))"),
        labelLimit=alt.ExprRef(f"width < {PHONE_PX} ? {short} : {LETTER_PX * LONGEST_LABEL}"),
        rowPadding=4,
        symbolOpacity=1,
        symbolType="circle",
        symbolSize=80,
        offset=8,
        padding=0,
    )


def _legend_px(colours: Mapping[str, str]) -> int:
    """The height that a legend may take on a phone, in two columns."""
    return 20 * max(1, len(colours) if len(colours) <= 3 else -(-len(colours) // 2))


def _tooltip(title: str, *fields: Any, form: str = ".3f") -> list[Any]:
    import altair as alt

    numbers = (("value:Q", title), ("low:Q", "low (95 %)"), ("high:Q", "high (95 %)"))
    return [*fields, *(alt.Tooltip(f, title=name, format=form) for f, name in numbers)]


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
