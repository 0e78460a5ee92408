"""Flags in words, for a lead who knows no statistics; names are untrusted text like any other."""

from collections.abc import Sequence

from builder.judging.agreement.copies import Copy
from estimates import Estimate

HUB = 3
"""A rater with so many copies is the one that they have in common."""


def outlier(name: str, own: Estimate, rest: Estimate) -> str:
    """`own` and `rest` are quadratic kappas."""
    return (
        f"{name} agrees with the others much less than they agree among themselves: kappa"
        f" {_with_interval(own)} over {own.n:,} comparisons, the rest {_with_interval(rest)}"
        " (1 is full agreement, 0 is what guessing gives)."
        f" Go through a few of these pairs with {name} before the grades count."
    )


def shifted(name: str, bias: Estimate) -> str:
    """`bias` is own less others, in grades."""
    value, low, high = bias.value or 0.0, bias.low or 0.0, bias.high or 0.0
    if value < 0:
        value, low, high = -value, -high, -low
        direction = "lower"
    else:
        direction = "higher"
    return (
        f"{name} grades {value:.2f} of a grade {direction} than the others on the same pairs"
        f" (between {low:.2f} and {high:.2f}; {bias.n:,} pairs)."
        f" Agree with {name} on where one grade ends and the next begins."
    )


def too_fast(name: str, median: float, n: int, others: float | None) -> str:
    """Medians in seconds; `others` is None where no other rater's times are known."""
    beside = "" if others is None else f", the others {others:.1f} s"
    return (
        f"{name} takes {median:.1f} s a pair (half of {n:,} pairs took less){beside}."
        " That is hardly enough to read a document."
    )


def one_grade(name: str, grade: int, given: tuple[int, int], others: float) -> str:
    """`given` is how often, of how many; `others` the share of that grade among others."""
    times, n = given
    return (
        f"{name} gave grade {grade} in {times:,} of {n:,} pairs that others graded too;"
        f" they gave it in {others:.0%} of the same pairs."
        " Grades that never change say nothing about a document."
    )


def contradicts(name: str, share: Estimate, others: float) -> str:
    """`share` is how often the second grade was the first, `others` how often two raters agree."""
    return (
        f"{name} graded {share.n:,} pairs twice and gave the same grade again in"
        f" {_percent(share.value)} of them (between {_percent(share.low)} and"
        f" {_percent(share.high)}). Two different raters agree more often: {others:.0%}."
    )


def copies(name: str, own: Sequence[Copy], everybody: Sequence[Copy]) -> str:
    """`own` are the copies that speak against this rater, at least one; `everybody` all."""
    if len(own) >= HUB:
        return f"{_of_many(name, own)} {_who(name, own)} {NO_EVIDENCE}"
    told = " ".join(f"{_of_one(name, copy)}" for copy in own)
    return f"{told} {_who(name, own)}{_in_common(name, own, everybody)} {NO_EVIDENCE}"


NO_EVIDENCE = "Equal grades of these raters are no evidence of agreement."


def _of_one(name: str, copy: Copy) -> str:
    return (
        f"{name} gave the same grade as {_other(name, copy)} in {copy.identical:,} of {copy.n:,}"
        f" shared pairs; raters who grade on their own would in about {copy.expected:.0f}."
    )


def _of_many(name: str, own: Sequence[Copy]) -> str:
    n, identical = sum(copy.n for copy in own), sum(copy.identical for copy in own)
    expected = sum(copy.expected for copy in own)
    return (
        f"{name} gave the same grade as {len(own)} other raters in {identical:,} of {n:,} shared"
        f" pairs; raters who grade on their own would in about {expected:.0f}."
    )


def _who(name: str, own: Sequence[Copy]) -> str:
    later = sum(copy.later == name for copy in own)
    if later == len(own):
        return f"{name} graded after them nearly every time."
    if later:
        return f"{name} graded after {later} of them nearly every time."
    return "The times do not tell who copied."


def _in_common(name: str, own: Sequence[Copy], everybody: Sequence[Copy]) -> str:
    """That the other is the one whom many copies have in common."""
    others = {_other(name, copy) for copy in own}
    for other in sorted(others):
        also = sum(other in copy.raters for copy in everybody) - 1
        if also + 1 >= HUB:
            return f" {other} has the same grades as {also} further raters, so look there first."
    return ""


def _other(name: str, copy: Copy) -> str:
    one, other = copy.raters
    return other if name == one else one


def _with_interval(kappa: Estimate) -> str:
    if kappa.value is None:
        return "unknown"
    if kappa.low is None or kappa.high is None:
        return f"{kappa.value:.2f}"
    return f"{kappa.value:.2f} ({kappa.low:.2f} to {kappa.high:.2f})"


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{share:.0%}"
