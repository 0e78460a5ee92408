"""Flags in words, for a lead who knows no statistics; names are untrusted text like any other."""

from collections.abc import Sequence

from builder.judging.agreement.copies import Copy
from estimates import Estimate

HUB = 3
"""A rater with so many copies is the one that they have in common."""


def outlier(name: str, own: Estimate, rest: Estimate, n: int) -> str:
    """`own` and `rest` are quadratic kappas; `n` is how many of the rater's grades are compared."""
    return (
        f"{name} agrees with the others much less than they agree among themselves: kappa"
        f" {_with_interval(own)} over {own.n:,} comparisons; each of {n:,} grades against every"
        f" other rater's grade of that pair. The rest: {_with_interval(rest)}"
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
        " Ask whether the documents were read."
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
        return f"{_of_many(name, own)} {_who(name, own)} {_NO_EVIDENCE}"
    told = " ".join(_of_one(name, copy, everybody) for copy in own)
    return f"{told} {_who(name, own)} {_NO_EVIDENCE}"


_NO_EVIDENCE = (
    "Equal grades of these raters are no evidence of agreement."
    " Ask them; leave one out, else the grade counts twice."
)


def _of_one(name: str, copy: Copy, everybody: Sequence[Copy]) -> str:
    other = _other(name, copy)
    told = f"{name} gave the same grade as {other} in {_pairs(copy.identical, copy.n)}"
    if copy.in_time:
        told = f"{told} that {other} had graded before"
    of_other = [each for each in everybody if other in each.raters]
    if len(of_other) >= HUB:
        return f"{told}. Look at {other} first: {_of_many(other, of_other)}"
    return f"{told}; two independent raters would agree on about {copy.expected:.0f}."


def _of_many(name: str, own: Sequence[Copy]) -> str:
    n, identical = sum(copy.n for copy in own), sum(copy.identical for copy in own)
    expected = sum(copy.expected for copy in own)
    return (
        f"{name} gave the same grade as {len(own)} other raters in {_pairs(identical, n)};"
        f" independent raters would agree on about {expected:.0f}."
    )


def _pairs(identical: int, n: int) -> str:
    if n == 1:
        return f"{identical} of 1 shared pair"
    return f"all {n:,} shared pairs" if identical == n else f"{identical:,} of {n:,} shared pairs"


def _who(name: str, own: Sequence[Copy]) -> str:
    later = [copy for copy in own if copy.later == name]
    if not later:
        return "The times do not tell who copied."
    if len(later) == len(own):
        return f"By the times it was {name} who copied."
    return f"By the times it was {name} who copied from {len(later)} of them."


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
