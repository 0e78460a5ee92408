"""The document that `goldsmith ab --json` prints; strict JSON, no NaN."""

from collections.abc import Sequence
from typing import Any

from online.ab import ABTest, Arms, Day, Plan
from online.abtest import POWER, SampleRatio
from online.verdict import advice, verdict, warnings


def ab_document(test: ABTest) -> dict[str, Any]:
    """The document that `goldsmith ab --json` prints."""
    plan, (n_control, n_treatment) = test.plan, test.units
    return {
        "control": plan.control,
        "treatment": plan.treatment,
        "unit": test.unit,
        "units": {plan.control: n_control, plan.treatment: n_treatment},
        "searches": _by_arm(plan, test.searches),
        "overlap": {
            "units": test.crossing_units,
            "searches": test.crossing_searches,
            "handled": "left_out",
        },
        "chosen": {"tag": plan.tag, "query_class": plan.query_class, "zone": plan.zone},
        "srm": _ratio_json(plan, test.ratio),
        "bots": _bots_json(test),
        "metrics": {name: _arms_json(arms) for name, arms in test.metrics.items()},
        "by_day": [_day_json(plan, day) for day in test.days],
        "power": _power_json(test),
        "verdict": verdict(test).as_json(),
        "guard": {"fires": bool(test.guard_reasons), "reasons": test.guard_reasons},
        "warnings": warnings(test),
        "advice": advice(test),
    }


def _ratio_json(plan: Plan, ratio: SampleRatio) -> dict[str, Any]:
    return {
        "p_value": ratio.p_value,
        "alarm": ratio.alarm,
        "chi_square": ratio.chi_square,
        "expected": _by_arm(plan, ratio.expected),
        "reason": ratio.reason,
    }


def _bots_json(test: ABTest) -> dict[str, Any] | None:
    """The traffic check with and without flagged sessions; null where the lake has none."""
    if test.bots is None:
        return None
    plan, bots = test.plan, test.bots
    return {
        "left_out": plan.without_bots,
        "searches": _by_arm(plan, bots.searches),
        "with": {
            "units": _by_arm(plan, bots.units_with),
            "srm": _ratio_json(plan, bots.ratio_with),
        },
        "without": {
            "units": _by_arm(plan, bots.units_without),
            "srm": _ratio_json(plan, bots.ratio_without),
        },
    }


def _arms_json(arms: Arms) -> dict[str, Any]:
    """Values, the difference with its interval, and of each what stands behind it."""
    found = arms.difference
    return {
        "control": arms.control.value,
        "treatment": arms.treatment.value,
        "difference": found.value,
        "low": found.low,
        "high": found.high,
        "p_value": found.p_value,
        "p_holm": found.p_holm,
        "reason": found.reason,
        "n": {"control": arms.control.n, "treatment": arms.treatment.n},
        "intervals": {
            name: None if of_arm.low is None else [of_arm.low, of_arm.high]
            for name, of_arm in (("control", arms.control), ("treatment", arms.treatment))
        },
    }


def _by_arm(plan: Plan, pair: Sequence[float]) -> dict[str, float]:
    return dict(zip(plan.arms, pair, strict=True))


def _day_json(plan: Plan, day: Day) -> dict[str, Any]:
    keys = ("control", "treatment", "difference", "low", "high", "reason")
    return {
        "day": day.day.isoformat(),
        "searches": _by_arm(plan, day.searches),
        "metrics": {
            name: {key: _arms_json(arms)[key] for key in keys} for name, arms in day.metrics.items()
        },
    }


def _power_json(test: ABTest) -> dict[str, Any]:
    return {
        "days": test.duration,
        "power": POWER,
        "relative_effect": test.plan.effect,
        "metrics": {
            name: {
                "smallest_effect": arms.difference.smallest_effect,
                "effect": test.effect_wanted(name),
                "days_needed": test.days_needed(name),
            }
            for name, arms in test.metrics.items()
        },
    }
