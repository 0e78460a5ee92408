"""Numbers as words on screen: every one with its n and, where it is an estimate, its interval."""

from estimates import Estimate

MISSING = "\u2013"
"""Shown where there is no value; the reason stands beside it."""


def count(number: int) -> str:
    """A whole number with thousands separated: 20,000."""
    return f"{number:,}"


def count_of(n: int, what: str) -> str:
    """How many of something: 1 pair, 20,000 pairs."""
    return f"{count(n)} {what}{'' if n == 1 else 's'}"


def decimal(value: float | None) -> str:
    """Three decimals: 0.645."""
    return MISSING if value is None else f"{value:.3f}"


def percent(value: float | None) -> str:
    """A share as a percentage with one decimal: 41.2 %."""
    return MISSING if value is None else f"{100 * value:.1f}\u00a0%"


def interval(low: float | None, high: float | None) -> str:
    """The 95 % interval, three decimals; "" where there is none."""
    if low is None or high is None:
        return ""
    return f"{low:.3f}\u2013{high:.3f}"


def percent_interval(low: float | None, high: float | None) -> str:
    """The 95 % interval of a share in percent; "" where there is none."""
    if low is None or high is None:
        return ""
    return f"{100 * low:.1f}\u2013{100 * high:.1f}\u00a0%"


def in_words(reason: str | None) -> str:
    """A reason code as words: no_values becomes "no values"."""
    return (reason or "").replace("_", " ")


def beside(estimate: Estimate, unit: str, *, share: bool = False) -> str:
    """What stands beside a value: its interval or why there is none, and its n."""
    span = (percent_interval if share else interval)(estimate.low, estimate.high)
    parts = [span or in_words(estimate.reason), f"n = {count(estimate.n)} {unit}"]
    return " \u00b7 ".join(part for part in parts if part)
