"""The numbers of an A/B test to draw and to take away, these in full precision."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from estimates import Estimate
from online.ab import ABTest, Plan
from online.abtest import Difference
from online.wording import NO_SHARE
from ui.dashboards.figures import asked_in_words, file_parts
from ui.downloads import Sheet, file_name

if TYPE_CHECKING:
    import pandas as pd

_ENDS = ("", "_low", "_high")


def metrics_sheet(test: ABTest) -> Sheet:
    """A metric in each row: both arms, the difference, its p-values."""
    columns = ["metric", *_of_arms(), *_named("difference"), "error", "p", "p_holm", "reason"]
    rows: list[list[object]] = []
    for name, arms in test.metrics.items():
        found = arms.difference
        rows.append([name, *_arm(arms.control), *_arm(arms.treatment), *_difference(found)])
        rows[-1] += [found.error, found.p_value, found.p_holm, found.reason]
    return Sheet(columns, rows)


def days_sheet(test: ABTest) -> Sheet:
    """A day and metric in each row: searches, both arms and the difference."""
    columns = ["day", "metric", "control_searches", "treatment_searches"]
    columns += [*_of_arms(), *_named("difference"), "reason"]
    rows: list[list[object]] = []
    for day in test.days:
        for name, arms in day.metrics.items():
            found = arms.difference
            head = [day.day.isoformat(), name, *day.searches]
            both = [*_arm(arms.control), *_arm(arms.treatment)]
            rows.append([*head, *both, *_difference(found), found.reason])
    return Sheet(columns, rows)


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


def power_sheet(test: ABTest) -> Sheet:
    """What the test can find by now, and how many days finding what was asked for takes."""
    rows = [
        [name, arms.difference.smallest_effect, test.effect_wanted(name), test.days_needed(name)]
        for name, arms in test.metrics.items()
    ]
    return Sheet(["metric", "can_be_found", "asked_for", "days_still_to_run"], rows)


def plan_in_words(plan: Plan) -> str:
    """What is compared, for the title of a picture."""
    return f"{plan.treatment} against {plan.control} \u00b7 {asked_in_words(plan.choice)}"


def name_of_file(what: str, plan: Plan) -> str:
    """The name of a file about this test, without its ending."""
    return file_name("ab", what, *plan.arms, *file_parts(plan.choice))


def _of_arms() -> Iterable[str]:
    for arm in ("control", "treatment"):
        yield from (*_named(arm), f"{arm}_n")


def _named(what: str) -> list[str]:
    return [f"{what}{end}" for end in _ENDS]


def _arm(arm: Estimate) -> list[object]:
    return [arm.value, arm.low, arm.high, arm.n]


def _difference(found: Difference) -> list[object]:
    return [found.value, found.low, found.high]
