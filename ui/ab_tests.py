"""What the page A/B test asks and shows: traffic first, then the verdict, then the numbers."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

from builder.workspace import Workspace
from estimates import Estimate
from online.ab import ABTest, Arms, Plan, compare_arms
from online.abtest import POWER
from online.kept import kept_record
from online.lake import Lake
from online.verdict import (
    LOWER_IS_BETTER,
    advice,
    is_small,
    verdict,
    warnings,
)
from online.wording import (
    MOST_CROSSING,
    NO_SHARE,
    TITLES,
    alarm_in_words,
    crossing_share,
    days_in_words,
    is_doubtful,
    p_in_words,
    signed,
    value_in_words,
    without_user_in_words,
)
from ui import numbers
from ui.ab_sheets import (
    days_sheet,
    effect_by_day,
    metrics_sheet,
    name_of_file,
    plan_in_words,
    power_sheet,
)
from ui.charts import effect_chart
from ui.dashboards.counting import state_of
from ui.downloads import offer_csv, show_chart, titled_csv
from ui.frame import muted, note, section
from ui.tables import Column, named, table, with_note
from ui.text import inline

_SIGN = re.compile(r"(?<![\w-])-(?=\d)")
_LEVELS = {
    "better": "good",
    "worse": "poor",
    "sample_ratio": "poor",
    "units_in_both_arms": "poor",
    "mixed": "fair",
}


def tested(workspace: Workspace, plan: Plan) -> ABTest:
    """What the test has shown; the second look is cached.

    Raises:
        OnlineError: The plan makes no sense for these events, or the lake is damaged.
    """
    lake = workspace.lake
    return _tested(str(lake.root), state_of(lake), str(workspace.cache_folder), plan)


def show_sample_ratio(test: ABTest) -> None:
    """Whether the arms got the traffic that was planned: before anything else is read.

    Where too many units saw both arms, the ratio of those that are left says nothing.
    """
    if all(test.units) and crossing_share(test) > MOST_CROSSING:
        return
    _offer_users(test)
    headline, words = alarm_in_words(test)
    ratio = test.ratio
    doubtful = ratio.p_value is None or is_doubtful(test)
    note(headline, words, kind="error" if ratio.alarm else "warning" if doubtful else "")


def _offer_users(test: ABTest) -> None:
    """The other unit, where a few searches without a user decided which one it is."""
    if words := without_user_in_words(test):
        note(words)
        st.button("Take users as the unit", on_click=_choose_users)


def _choose_users() -> None:
    st.session_state["unit"] = "user"


def show_verdict(test: ABTest) -> None:
    """What to believe, in words."""
    found = verdict(test)
    lines = "".join(f"<p>{inline(_set(line))}</p>" for line in (found.headline, *found.sentences))
    level = _LEVELS.get(found.code, "undefined")
    if level != "poor" and (is_small(test) or found.depends_on_bots):
        level = "fair"
    st.html(f'<div class="gs-verdict gs-is-{level}" role="status">{lines}</div>')


def show_metrics(test: ABTest, colours: dict[str, str]) -> None:
    """Both arms, their difference and its p-values; each with interval or reason, and n."""
    plan = test.plan
    make, file = partial(metrics_sheet, test), name_of_file("metrics", plan)
    titled_csv("Metrics", make, file, key="metrics")
    control, treatment = (named(arm, colours[arm]) for arm in plan.arms)
    st.html(f'<p class="gs-muted">Control: {control} \u00b7 treatment: {treatment}</p>')
    columns = [Column("")]
    columns += [Column(name, numeric=True) for name in ("control", "treatment", "difference")]
    columns += [Column("p", numeric=True), Column("p (Holm)", numeric=True)]
    rows = [_row(name, arms) for name, arms in test.metrics.items()]
    st.html(f'<div class="gs-arms gs-metrics">{table(columns, rows)}</div>')
    muted(
        f"{_pair(test.searches)} searches of {_pair(test.units)} {test.unit}s in "
        f"{numbers.count_of(test.duration, 'day')}. Intervals are 95 %, of each metric alone, and "
        f"clustered by {test.unit}. p: how often chance alone makes a difference at least as "
        "large; p (Holm) is corrected for all metrics that could be tested, and is what counts."
    )


def show_effect_by_day(test: ABTest, metric: str, colours: dict[str, str]) -> None:
    """The difference of one metric on each day."""
    missing = sum(day.metrics[metric].difference.value is None for day in test.days)
    if missing < len(test.days):
        _draw_effect(test, metric, colours[test.plan.treatment])
    if missing:
        muted(
            f"{numbers.count_of(missing, 'day')} of {len(test.days)} without a difference: one of "
            "the arms has no such searches there."
        )
    if bare := _days_without_interval(test, metric):
        has = "has" if bare == 1 else "have"
        muted(
            f"{numbers.count_of(bare, 'day')} of {len(test.days)} {has} a dot without an interval: "
            "too few searches there for one that would hold."
        )
    muted("Above the dashed line the treatment is higher. No day decides.")


def _days_without_interval(test: ABTest, metric: str) -> int:
    found = (day.metrics[metric].difference for day in test.days)
    return sum(one.value is not None and one.low is None for one in found)


def _draw_effect(test: ABTest, metric: str, colour: str) -> None:
    title = f"difference in {TITLES[metric]}{'' if metric in NO_SHARE else ', points'}"
    show_chart(
        lambda: effect_chart(effect_by_day(test, metric), colour, title),
        drawn_of=(repr(test.days), metric, colour),
        title=[f"Difference in {TITLES[metric]}, by day", plan_in_words(test.plan)],
        file=name_of_file(metric, test.plan),
        key="effect",
        make=partial(days_sheet, test),
    )


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
    columns += [
        Column(title, numeric=True) for title in ("can be found", "asked for", "still to run")
    ]
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
        "Can be found: the smallest true difference that a test of this size finds "
        f"{100 * POWER:.0f} times in 100. Asked for: {percent:g} % of the control's value. Still "
        f"to run: at the traffic of the {numbers.count_of(test.duration, 'day')} so far."
    )
    with st.container(key="files_power", horizontal=True):
        file = name_of_file("power", test.plan)
        offer_csv(partial(power_sheet, test), file, key="power", what="How long to run")


def show_cautions(test: ABTest) -> None:
    """What weakens the test, and what would make it better."""
    section("Before you decide")
    for words in warnings(test):
        note(_set(words), kind="warning")
    for words in advice(test):
        note(_set(words))


@st.cache_resource(max_entries=64, show_spinner="Comparing the arms \u2026")
def _tested(root: str, state: str, cache_folder: str, plan: Plan) -> ABTest:  # noqa: ARG001 - key
    lake = Lake(Path(root))
    return kept_record(
        Path(cache_folder), lake, {"ab": plan}, ABTest, lambda: compare_arms(lake, plan)
    )


def _row(name: str, arms: Arms) -> list[str]:
    found = arms.difference
    interval = ""
    if found.low is not None and found.high is not None:
        interval = _set(f"{signed(name, found.low)} to {signed(name, found.high)}")
    change = numbers.MISSING if found.value is None else _set(signed(name, found.value))
    unit = "" if name in NO_SHARE or not found.value else "\u00a0points"
    title = with_note(TITLES[name], "lower is better" * (name in LOWER_IS_BETTER))
    return [
        title,
        *(_arm(name, arm) for arm in (arms.control, arms.treatment)),
        with_note(f"{change}{unit}", interval or numbers.in_words(found.reason)),
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
    """Signs as they are printed, no break within a number; words keep their hyphens."""
    unbroken = text.replace(" %", "\u00a0%").replace("p < ", "p\u00a0<\u00a0")
    return _SIGN.sub("\u2212", unbroken.replace("p = ", "p\u00a0=\u00a0"))
