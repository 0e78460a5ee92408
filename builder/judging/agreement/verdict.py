"""What the agreement allows, in one sentence, and what to do next: for leads without statistics.

The ladder. Independent errors of raters shrink the differences between models and blur them. In
simulations (pools of 20 or 30 documents, three mixes of grades, models with nDCG@10 of .57 to .90,
50 queries) labels at an ordinal alpha of .8, .6 and .4 between raters named the better of two
models as perfect labels do in 95 % of the cases from true differences of .02 to .04, .02 to .05 and
.03 to .06 in nDCG@10 on, and showed about .9, .75 and .6 of the difference. At .4 the ladder says
.10, since raters who agree so little seldom err independently. Below .4 it allows nothing; .8 is
also what Krippendorff (2004), Content Analysis, asks for.

The rung is where the lower end of the interval stands, not the value: the grades are at least so
good. Before there is a rung there must be 50 shared pairs of 10 queries (below ten queries the
interval itself does not hold), 10 of them with another grade than the commonest (where all but one
pair are equal, alpha is 0 or 1, whatever their number), and an interval no wider than .15 to each
side: rungs are .2 apart, so the value is then at most one rung off. A wider one is no hindrance
where it lies on one side as a whole: all below .4, or from .6 up.

One goal is set, 100 shared pairs of 20 queries, and how much of it is reached is said: in
simulations these gave +-.09 to +-.21. Where it is reached and the interval is still too wide, more
are asked for: the width shrinks with the square root of the number of queries, so n pairs that gave
+-w give +-.15 with n * (w / .15)^2, if the new ones come from new queries.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from builder.judging.agreement.copies import Copy
from builder.judging.agreement.words import in_words
from estimates import Estimate

FEWEST_PAIRS: Final = 50
FEWEST_QUERIES: Final = 10
FEWEST_OTHER: Final = 10
ENOUGH_PAIRS: Final = 100
ENOUGH_QUERIES: Final = 20
WIDEST: Final = 0.15
GOOD: Final = 0.6
FAIR: Final = 0.4
NEAR: Final = 0.04
"""So near to a rung no number of further pairs that anybody would grade shows it."""

Verdict = dict[str, str]
"""level, sentence and next."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a verdict is given on.

    Attributes:
        alpha: Ordinal alpha, with its interval.
        n_pairs: Pairs that two or more raters graded.
        n_queries: Their queries.
        n_other: Shared pairs to which somebody gave another grade than the commonest.
        n_disputed: Pairs that an analyst should decide.
        n_odd: Raters who count and stand out, whatever for.
    """

    alpha: Estimate
    n_pairs: int
    n_queries: int
    n_other: int
    n_disputed: int
    n_odd: int = 0


@dataclass(frozen=True, slots=True)
class Rung:
    """A level of the ladder.

    Attributes:
        level: Its name.
        lowest: The lower end of alpha's interval must be so high.
        differ: Models that differ by so much in nDCG@10 can be told apart.
    """

    level: str
    lowest: float
    differ: float


RUNGS: Final = (
    Rung("excellent", 0.8, 0.04),
    Rung("good", GOOD, 0.05),
    Rung("fair", FAIR, 0.10),
)
POOR: Final = Rung("poor", -1.0, 0.0)


def verdict(
    whole: Evidence,
    apart: Evidence | None = None,
    *,
    copied: int = 0,
    copies: Sequence[Copy] = (),
) -> Verdict:
    """What the agreement allows.

    Args:
        whole: All grades that count.
        apart: The same without copied grades, which are no evidence; None where none were found.
        copied: Shared pairs with a copied grade.
        copies: Whose grades are copies; needed with `apart`.

    Returns:
        level (undefined, too_few, no_evidence, poor, fair, good or excellent), sentence (what the
        number allows) and next (what to do).
    """
    if apart is None:
        return _verdict_on(whole, _NO_COPIES)
    found = _copied(whole, copies)
    if apart.alpha.value is None:
        return {
            "level": "no_evidence",
            "sentence": f"{copied:,} of {_pairs(whole.n_pairs)} hold copied grades, which are no "
            "evidence of agreement, and too little is left to judge by.",
            "next": f"{found.advice}Then have two raters who do not see each other's grades "
            f"{_goal(apart)}",
        }
    return _verdict_on(apart, found)


@dataclass(frozen=True, slots=True)
class _Copied:
    """What is said where grades were copied; each is "" where none were.

    Attributes:
        once: Begins a sentence.
        beside: Follows alpha.
        advice: A sentence that says what to do about them, and a space.
    """

    once: str = ""
    beside: str = ""
    advice: str = ""


_NO_COPIES: Final = _Copied()
_MOST_NAMED: Final = 4


def _copied(whole: Evidence, copies: Sequence[Copy]) -> _Copied:
    names = sorted({name for copy in copies for name in copy.raters})
    named = _listed(names) if len(names) <= _MOST_NAMED else f"{len(names)} raters"
    known = len(copies) == 1 and copies[0].later is not None
    what, whom = f"the copies among {named}", named
    if known:
        whom = str(copies[0].later)
        source = next(name for name in names if name != whom)
        what = f"{whom}'s copies of {source}"
    value = whole.alpha.value
    return _Copied(
        once=f"Counting {what} once, ",
        beside=f", counting {what} once; {'undefined' if value is None else number(value)} with "
        "them",
        advice=f"Ask {whom} about the copies, and leave out who copied: until then the copied "
        "grades count twice. ",
    )


def _listed(names: Sequence[str]) -> str:
    """Such as: Ana, Ben and Cleo."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _verdict_on(evidence: Evidence, copied: _Copied) -> Verdict:
    level = level_of(evidence)
    if level == "undefined":
        return {"level": level, **_undefined(evidence)}
    if level == "too_few":
        return {"level": level, **_too_few(evidence, copied)}
    rung = next((rung for rung in RUNGS if rung.level == level), POOR)
    said = f"{_alpha(evidence)}{copied.beside}: {_allows(evidence, rung)}."
    following = f"{copied.advice}{_next(evidence, rung)}"
    return {"level": level, "sentence": said[0].upper() + said[1:], "next": following}


def level_of(evidence: Evidence) -> str:
    """Where on the ladder the evidence stands; see the module."""
    if evidence.alpha.value is None:
        return "too_few" if evidence.alpha.reason == "too_few_units" else "undefined"
    interval = _interval(evidence)
    if interval is None or evidence.n_other < FEWEST_OTHER:
        return "too_few"
    low, high = interval
    if high < FAIR:
        return "poor"
    is_wide = low < GOOD and (high - low) / 2.0 > WIDEST
    if is_wide or evidence.n_pairs < FEWEST_PAIRS:
        return "too_few"
    return _rung_of(low).level


def _interval(evidence: Evidence) -> tuple[float, float] | None:
    """The interval of alpha, None where there is none that holds.

    Where raters never differed, it comes by the rule of three: of n queries without any difference
    at most 3 / n differ, with 95 % confidence (Hanley and Lippman-Hand 1983), and a query in which
    grades are as different as by chance costs alpha 1 / n.
    """
    alpha = evidence.alpha
    if alpha.value is None or evidence.n_queries < FEWEST_QUERIES:
        return None
    if alpha.low is None or alpha.high is None:
        return (1.0 - 3.0 / evidence.n_queries, 1.0) if alpha.value > 1.0 - 1e-9 else None
    return alpha.low, alpha.high


def _rung_of(value: float) -> Rung:
    return next((rung for rung in RUNGS if value >= rung.lowest), POOR)


def _undefined(evidence: Evidence) -> Verdict:
    reason = evidence.alpha.reason
    if reason == "all_grades_equal":
        return {
            "sentence": f"All {_pairs(evidence.n_pairs)} got one and the same grade: agreement "
            "cannot be told from chance.",
            "next": f"{_VARIED}.",
        }
    said = in_words(reason).capitalize()
    if reason == "all_raters_left_out":
        return {
            "sentence": f"{said}, so no grade counts: agreement cannot be told.",
            "next": "Take a rater back on the page Raters, or have pairs graded by others.",
        }
    return {
        "sentence": f"{said}: agreement cannot be told.",
        "next": f"Have two raters {_goal(evidence)}",
    }


_VARIED: Final = (
    "Have two raters grade documents that differ more: some that are surely relevant, some in doubt"
)


def _goal(evidence: Evidence) -> str:
    """The goal, and how much of it is reached; the end of a sentence whose subject are raters."""
    pairs = min(evidence.n_pairs, ENOUGH_PAIRS)
    queries = min(evidence.n_queries, ENOUGH_QUERIES)
    return (
        f"grade the same pairs until {ENOUGH_PAIRS} pairs of {ENOUGH_QUERIES} queries are shared "
        f"(reached: {pairs} of {ENOUGH_PAIRS} pairs, {queries} of {ENOUGH_QUERIES} queries)."
    )


def _too_few(evidence: Evidence, copied: _Copied) -> Verdict:
    if evidence.n_pairs >= FEWEST_PAIRS and evidence.n_other < FEWEST_OTHER:
        others = f"{evidence.n_other:,} of {_pairs(evidence.n_pairs)}"
        return {
            "sentence": f"{copied.once or 'Only '}{others} got another grade than the "
            "commonest, too few to judge by.",
            "next": f"{copied.advice}{_VARIED}.",
        }
    few = "is too little" if evidence.n_pairs == 1 else "are too few"
    return {
        "sentence": f"{copied.once}{_pairs(evidence.n_pairs)} of "
        f"{_queries(evidence.n_queries)} {few} to judge by{_range(evidence)}.",
        "next": f"{copied.advice}{_before_export(evidence)}",
    }


def _before_export(evidence: Evidence) -> str:
    wanted = missing(evidence)
    if not wanted:
        return f"Before you export, have two raters {_goal(evidence)}"
    return (
        f"The goal of {ENOUGH_PAIRS} shared pairs of {ENOUGH_QUERIES} queries is reached, but the "
        f"range is still too wide: have {_more(wanted)} of other queries graded by two "
        "raters each before you export."
    )


def _range(evidence: Evidence) -> str:
    alpha, interval = evidence.alpha.value, _interval(evidence)
    if alpha is None or interval is None:
        return ""
    low, high = map(number, interval)
    return f": ordinal alpha {number(alpha)} may be anything from {low} to {high}"


def missing(evidence: Evidence) -> int:
    """How many shared pairs a verdict needs beyond the goal, in tens; 0 until that is reached."""
    n = evidence.n_pairs
    interval = _interval(evidence)
    if n < ENOUGH_PAIRS or evidence.n_queries < ENOUGH_QUERIES or interval is None:
        return 0
    wanted = n * (((interval[1] - interval[0]) / 2.0 / WIDEST) ** 2 - 1.0)
    return max(10, 10 * round(wanted / 10.0))


def _next(evidence: Evidence, rung: Rung) -> str:
    steps = _look_at(evidence.n_odd)
    learn = "write into the guidelines what decides the pairs that raters grade differently"
    if rung.level == "poor":
        anew = _in_turn([*steps, learn, "have pairs graded anew by two raters"])
        return f"Do not export yet: {anew}{_further(evidence, rung)}."
    if evidence.n_disputed:
        steps.append("settle the disputed pairs that are left")
    if rung.level == "fair":
        return f"For finer comparisons {_in_turn([*steps, learn])}{_further(evidence, rung)}."
    return f"{_in_turn([*steps, 'export']).capitalize()}."


def _look_at(n_odd: int) -> list[str]:
    if not n_odd:
        return []
    return ["see why a rater stands out" if n_odd == 1 else f"see why {n_odd} raters stand out"]


def _in_turn(steps: list[str]) -> str:
    """Such as "a", "a, then b", "a, b, then c"."""
    *first, last = steps
    return f"{', '.join(first)}, then {last}" if first else last


def _further(evidence: Evidence, rung: Rung) -> str:
    """How many more shared pairs may show the rung on which the value stands already."""
    alpha = evidence.alpha
    if alpha.value is None or alpha.low is None:
        return ""
    higher = next((above for above in reversed(RUNGS) if above.lowest > rung.lowest), rung)
    if higher is rung or alpha.value - higher.lowest < NEAR:
        return ""
    reach = (alpha.value - alpha.low) / (alpha.value - higher.lowest)
    wanted = max(10, 10 * ceil(evidence.n_pairs * (reach**2 - 1.0) / 10.0))
    return f"; {_more(wanted)} graded by two raters may show that they are {higher.level} already"


def _allows(evidence: Evidence, rung: Rung) -> str:
    if rung.level != "poor":
        fit = "fit only" if rung.level == "fair" else "fit"
        return f"{fit} to compare models that differ by {number(rung.differ)} or more in nDCG@10"
    if evidence.alpha.value is not None and evidence.alpha.value >= FAIR:
        return f"it may be below {number(FAIR)}, too little to compare models by the grades"
    return "the raters agree too little to compare models by their grades"


def _alpha(evidence: Evidence) -> str:
    alpha, interval = evidence.alpha.value, _interval(evidence)
    if alpha is None or interval is None:
        return "ordinal alpha"
    low, high = map(number, interval)
    return f"ordinal alpha {number(alpha)} ({low} to {high}, {_pairs(evidence.n_pairs)})"


def number(value: float) -> str:
    """Two decimals without a leading zero, as agreement is written: .71, -.05, 1.00."""
    text = f"{value:.2f}"
    if text == "-0.00":
        return ".00"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _pairs(n: int) -> str:
    return f"{n:,} shared pair{'' if n == 1 else 's'}"


def _queries(n: int) -> str:
    return f"{n:,} quer{'y' if n == 1 else 'ies'}"


def _more(n: int) -> str:
    return f"{n:,} more pairs"
