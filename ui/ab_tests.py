"""What the page A/B test asks and shows: traffic first, then the verdict, then the numbers."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from builder.workspace import Workspace
from estimates import Estimate
from online.ab import ABTest, Arms, Plan, compare_arms
from online.abtest import POWER
from online.engines import Unit
from online.lake import Lake
from online.verdict import advice, is_small, verdict, warnings
from online.wording import (
    NO_SHARE,
    TITLES,
    days_in_words,
    p_in_words,
    ratio_in_words,
    signed,
    value_in_words,
)
from ui import numbers
from ui.charts import effect_chart
from ui.dashboards.counting import Log, state_of
from ui.dashboards.filters import ask_bots, ask_days, ask_tag
from ui.frame import muted, note, section
from ui.imports import offer_import
from ui.tables import Column, named, table, with_note
from ui.text import inline

if TYPE_CHECKING:
    import pandas as pd

UNITS: dict[str, Unit | None] = {"automatic": None, "user": "user", "session": "session"}
_SIGN = re.compile(r"(?<![\w-])-(?=\d)")
_LEVELS = {"better": "good", "worse": "poor", "sample_ratio": "poor", "mixed": "fair"}


def show_why_not(log: Log | None) -> None:
    """What is missing for a test, and what to do about it."""
    if log is None:
        note("There are no search events yet.", "Import a log of searches and clicks.")
    else:
        note(
            f"All {numbers.count(log.searches)} searches are of one model version, "
            f"{log.model_versions[0]}.",
            "A test compares two: let another model answer a part of your traffic, log its name as "
            "model_version, and import that log.",
        )
    offer_import("events")


def ask_plan(log: Log, zone: str) -> Plan | None:
    """What is to be compared, from the filters, which the address keeps; None if it makes no sense.

    Args:
        log: What the lake holds: at least two model versions.
        zone: Whose days are meant.
    """
    said: list[str] = []
    with st.container(key="filters", horizontal=True):
        control, treatment = _ask_arms(log)
        start, end = ask_days(log, said)
        tag = ask_tag(log, said)
    with st.container(key="test_filters", horizontal=True, vertical_alignment="bottom"):
        unit, planned = _ask_assignment()
        without_bots = ask_bots()
    if said:
        note(said[0], *said[1:], kind="warning")
    shares = split_of(planned)
    if shares is None:
        note(f"{planned} is no split.", "Write two positive numbers, such as 50:50 or 90:10.")
    if control == treatment:
        note("Control and treatment are the same model version.", "Choose two different ones.")
    if shares is None or control == treatment:
        return None
    return Plan(
        control, treatment, UNITS[unit], shares, start, end,
        tag=tag, without_bots=without_bots, zone=zone,
    )  # fmt: skip


def _ask_arms(log: Log) -> tuple[str, str]:
    models = log.model_versions
    control = st.selectbox("Control", models, key="control", bind="query-params")
    treatment = st.selectbox("Treatment", models, 1, key="treatment", bind="query-params")
    return control, treatment


def _ask_assignment() -> tuple[str, str]:
    """What was assigned to an arm, and in which shares, as they were typed."""
    unit = st.selectbox(
        "Unit",
        list(UNITS),
        key="unit",
        bind="query-params",
        help="What was assigned to a model. Automatic: the user, where every search names one.",
    )
    planned = st.text_input(
        "Planned split",
        "50:50",
        key="expected",
        bind="query-params",
        help="Traffic of control and treatment, such as 50:50 or 90:10.",
    )
    return unit, planned


def split_of(text: str) -> tuple[float, float] | None:
    """The two shares of "90:10"; None where the text is no split."""
    parts = text.split(":")
    try:
        control, treatment = (float(part) for part in parts)
    except ValueError:
        return None
    positive = 0 < control < float("inf") and 0 < treatment < float("inf")
    return (control, treatment) if positive else None


def tested(workspace: Workspace, plan: Plan) -> ABTest:
    """What the test has shown; the second look is cached.

    Raises:
        OnlineError: The plan makes no sense for these events, or the lake is damaged.
    """
    lake = workspace.lake
    return _tested(str(lake.root), state_of(lake), plan)


def show_sample_ratio(test: ABTest) -> None:
    """Whether the arms got the traffic that was planned: before anything else is read."""
    words = f"{ratio_in_words(test)}."
    if test.ratio.alarm:
        note("The sample ratio fails.", words, kind="error")
    elif test.ratio.p_value is None:
        note("The sample ratio cannot be tested yet.", words, kind="warning")
    else:
        note("The sample ratio is as planned.", words)


def show_verdict(test: ABTest) -> None:
    """What to believe, in words."""
    found = verdict(test)
    lines = "".join(f"<p>{inline(_set(line))}</p>" for line in (found.headline, *found.sentences))
    level = _LEVELS.get(found.code, "undefined")
    if level != "poor" and is_small(test):
        level = "fair"
    st.html(f'<div class="gs-verdict gs-is-{level}" role="status">{lines}</div>')


def show_metrics(test: ABTest, colours: dict[str, str]) -> None:
    """Both arms, their difference and its p-values; each with interval or reason, and n."""
    plan = test.plan
    columns = [Column("")]
    columns += [Column(name, numeric=True) for name in ("control", "treatment", "difference")]
    columns += [Column("p", numeric=True), Column("p (Holm)", numeric=True)]
    rows = [_row(name, arms) for name, arms in test.metrics.items()]
    st.html(f'<div class="gs-arms gs-metrics">{table(columns, rows)}</div>')
    control, treatment = (named(arm, colours[arm]) for arm in (plan.control, plan.treatment))
    st.html(f'<p class="gs-muted">Control: {control} \u00b7 treatment: {treatment}</p>')
    muted(
        f"{_pair(test.searches)} searches of {_pair(test.units)} {test.unit}s in "
        f"{numbers.count_of(test.duration, 'day')}. Intervals are 95 %, of each metric alone, and "
        f"clustered by {test.unit}; p (Holm) is corrected for all metrics that could be tested."
    )


def show_effect_by_day(test: ABTest, metric: str, colours: dict[str, str]) -> None:
    """The difference of one metric on each day."""
    frame = effect_by_day(test, metric)
    missing = int(frame["value"].isna().sum())
    if missing < len(frame):
        unit = "" if metric in NO_SHARE else ", points"
        chart = effect_chart(
            frame, colours[test.plan.treatment], f"difference in {TITLES[metric]}{unit}"
        )
        alt = f"Difference in {TITLES[metric]}, treatment minus control, by day"
        st.altair_chart(chart, width="stretch", alt=alt)
    if missing:
        muted(
            f"{numbers.count_of(missing, 'day')} of {len(frame)} without a difference: one of the "
            "arms has no such searches there."
        )
    muted("Days are UTC days; above the dashed line the treatment is higher. No day decides.")


def effect_by_day(test: ABTest, metric: str) -> "pd.DataFrame":
    """What `effect_chart` draws: columns at, value, low, high, searches; shares in points."""
    import pandas as pd

    scale = 1 if metric in NO_SHARE else 100
    rows = []
    for day in test.days:
        found = day.metrics[metric].difference
        values = [
            None if number is None else scale * number
            for number in (found.value, found.low, found.high)
        ]
        rows.append((pd.Timestamp(day.day), *values, sum(day.searches)))
    frame = pd.DataFrame(rows, columns=["at", "value", "low", "high", "searches"])
    return frame.astype({"value": float, "low": float, "high": float})


def drawable(test: ABTest) -> dict[str, str]:
    """Metric -> title, of those that have a difference."""
    return {
        name: TITLES[name]
        for name, arms in test.metrics.items()
        if arms.difference.smallest_effect is not None
    }


def show_power(test: ABTest) -> None:
    """What the test can find by now, and how long it takes to find what was asked for."""
    names = drawable(test)
    percent = st.number_input(
        "Smallest change worth finding, in percent of the control",
        0.1,
        1000.0,
        5.0,
        key="effect",
        bind="query-params",
        format="%g",
        width=420,
    )
    test = replace(test, plan=replace(test.plan, effect=percent / 100))
    if not names:
        muted("No metric has an interval yet, so nobody can say how long the test has to run.")
        return
    columns = [Column("")]
    columns += [Column(title, numeric=True) for title in ("found by now", "wanted", "still to run")]
    rows = [
        [
            TITLES[name],
            _size(name, test.metrics[name].difference.smallest_effect),
            _size(name, test.effect_wanted(name)),
            days_in_words(test, name),
        ]
        for name in names
    ]
    st.html(f'<div class="gs-arms gs-power">{table(columns, rows)}</div>')
    muted(
        f"Found: a true difference of this size or more, {100 * POWER:.0f} times in 100. Still to "
        f"run: at the traffic of the {numbers.count_of(test.duration, 'day')} so far."
    )


def show_cautions(test: ABTest) -> None:
    """What weakens the test, and what would make it better."""
    section("Before you decide")
    for words in warnings(test):
        note(words, kind="warning")
    for words in advice(test):
        note(words)


@st.cache_data(max_entries=32, show_spinner="Comparing the arms \u2026")
def _tested(root: str, state: str, plan: Plan) -> ABTest:  # noqa: ARG001 - part of the key
    return compare_arms(Lake(Path(root)), plan)


def _row(name: str, arms: Arms) -> list[str]:
    found = arms.difference
    interval = ""
    if found.low is not None and found.high is not None:
        interval = _set(f"{signed(name, found.low)} to {signed(name, found.high)}")
    change = numbers.MISSING if found.value is None else _set(signed(name, found.value))
    return [
        TITLES[name],
        *(_arm(name, arm) for arm in (arms.control, arms.treatment)),
        with_note(change, interval or numbers.in_words(found.reason)),
        _p(found.p_value),
        _p(found.p_holm),
    ]


def _arm(name: str, arm: Estimate) -> str:
    if arm.value is None:
        return with_note(numbers.MISSING, numbers.in_words(arm.reason))
    span = (numbers.interval if name in NO_SHARE else numbers.percent_interval)(arm.low, arm.high)
    n = f"n\u00a0=\u00a0{numbers.count(arm.n)}"
    value = _set(value_in_words(name, arm.value))
    return with_note(value, " \u00b7 ".join(part for part in (span, n) if part))


def _p(p_value: float | None) -> str:
    return (
        numbers.MISSING
        if p_value is None
        else p_in_words(p_value).removeprefix("p ").removeprefix("= ")
    )


def _size(name: str, value: float | None) -> str:
    if value is None:
        return numbers.MISSING
    return f"{value:.3f}" if name in NO_SHARE else f"{100 * value:.1f} points"


def _pair(counts: Sequence[int]) -> str:
    return " and ".join(numbers.count(n) for n in counts)


def _set(text: str) -> str:
    """Signs as they are printed, and no break before a per cent; words keep their hyphens."""
    return _SIGN.sub("\u2212", text).replace(" %", "\u00a0%")
