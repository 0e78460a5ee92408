"""How far the raters agree: alpha, AC1 and AC2, percent agreement, kappa by pair of raters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from builder.judging.agreement.coefficients import GRADES
from builder.judging.agreement.copies import Copy, find_copies
from builder.judging.agreement.estimating import Resampling, as_json
from builder.judging.agreement.measuring import Measured, measured
from builder.judging.agreement.pairwise import pairwise
from builder.judging.agreement.units import rows_where, without_excluded
from builder.judging.agreement.verdict import FEWEST_QUERIES, Evidence, verdict
from builder.store.grades import GradeRow
from builder.store.ratings import Ratings, ratings_of

RESAMPLES = 1000


def agreement(
    rows: Iterable[GradeRow],
    *,
    excluded: Mapping[str, str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Any]:
    """Agreement of the people among the raters, of rows in any order; see `agreement_of`.

    Args:
        rows: Current judgments; what is no grade is ignored, grades of no human are counted under
            `others`.
        excluded: Rater -> why this rater's grades are not to count.
        resamples: How many times the queries are drawn anew.
        seed: Of the random generator.
    """
    return agreement_of(ratings_of(rows, excluded), resamples=resamples, seed=seed)


def agreement_of(
    ratings: Ratings,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    flags: Mapping[str, Sequence[str]] | None = None,
    n_grades: int = len(GRADES),
) -> dict[str, Any]:
    """Agreement of people, excluded raters left out, ready for strict JSON.

    Intervals are 95 % intervals over queries: expanded percentiles of resamples (see
    `resampling.bounds`), for the kappas by leaving out one query at a time.

    Args:
        ratings: Grades as columns.
        resamples: How many times the queries are drawn anew.
        seed: Of the random generator.
        flags: Rater -> codes of what is odd about this rater, of those who count.
        n_grades: How many grades the scale has; 4 but in studies of others.

    Returns:
        n_raters, n_judged (pairs), n_pairs (graded by two or more), n_queries (of these), n_grades,
        the statistics alpha_ordinal, alpha_nominal, alpha_interval, percent_agreement (over rating
        pairs), ac1 and ac2 (quadratic weights); pairwise; raters; excluded; others (grades of no
        human, by kind); n_retired (grades on retired queries, left out); copies and
        alpha_ordinal_without_copies (None where there are none);
        warnings (few_queries, or none); verdict; and resampling: unit, queries, resamples, seed,
        undefined (by statistic, the resamples without a value). A statistic that cannot be computed
        has the value None and a reason; `in_words` says reasons and warnings in words.

    Raises:
        ValueError: A grade is not on the scale.
    """
    graded, how = without_excluded(ratings), Resampling(resamples, seed)
    whole = measured(graded, n_grades, how)
    raters = _raters(graded, flags or {})
    evidence = replace(whole.evidence, n_odd=sum(bool(row["flags"]) for row in raters))
    few = evidence.n_queries < FEWEST_QUERIES and evidence.alpha.value is not None
    return {
        **_counts(graded, whole),
        **as_json(whole.found),
        "pairwise": pairwise(graded, n_grades),
        "raters": raters,
        "excluded": _excluded(ratings),
        "others": dict(sorted(ratings.others.items())),
        "n_retired": ratings.n_retired,
        "warnings": ["few_queries"] if few else [],
        **_judged(graded, evidence, n_grades, Resampling(resamples, seed)),
        "resampling": {
            "unit": "query",
            "queries": evidence.n_queries,
            "resamples": resamples,
            "seed": seed,
            "undefined": dict(sorted(how.undefined.items())),
        },
    }


def _judged(graded: Ratings, whole: Evidence, n_grades: int, how: Resampling) -> dict[str, Any]:
    """Whose grades are copies, alpha without these, and the verdict."""
    copies = find_copies(graded)
    is_copied = _is_copied(graded, copies)
    copied, apart = len(np.unique(graded.pair[is_copied])), None
    if copied:
        apart = measured(rows_where(graded, ~is_copied), n_grades, how).evidence
        apart = replace(apart, n_odd=whole.n_odd)
    return {
        "copies": [
            {"raters": list(copy.raters), "n": copy.n, "later": copy.later} for copy in copies
        ],
        "alpha_ordinal_without_copies": apart.alpha.as_json() if apart else None,
        "verdict": verdict(whole, apart, copied=copied, copies=copies),
    }


def _is_copied(graded: Ratings, copies: Iterable[Copy]) -> NDArray[np.bool_]:
    """Which grades are copies of another grade of the same pair, shape (n,).

    Of two raters whose grades are copies these are the later's grades of the pairs that both graded
    (where none is known to be later, those of the one further down in the alphabet), also where the
    two differ: to keep the differences alone would be unjust to them. Of one who copied only what
    was there already, they are those that came after the other's.
    """
    is_copied = np.zeros(len(graded), dtype=np.bool_)
    for copy in copies:
        copier = copy.later or copy.raters[1]
        source = next(name for name in copy.raters if name != copier)
        own, others = _grades_of_the_same_pairs(graded, copier, source)
        if copy.in_time:
            own = own[graded.seconds[own] > graded.seconds[others]]
        is_copied[own] = True
    return is_copied


def _grades_of_the_same_pairs(
    graded: Ratings, one: str, other: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of the grades of the one and of the other rater, pair by pair that both graded."""
    of_one, of_other = (
        np.flatnonzero(graded.rater == list(graded.raters).index(name)) for name in (one, other)
    )
    _, at_one, at_other = np.intersect1d(
        graded.pair[of_one], graded.pair[of_other], assume_unique=True, return_indices=True
    )
    return of_one[at_one], of_other[at_other]


def _counts(graded: Ratings, whole: Measured) -> dict[str, int]:
    return {
        "n_raters": len(np.unique(graded.rater)),
        "n_judged": len(whole.units),
        "n_pairs": whole.evidence.n_pairs,
        "n_queries": whole.evidence.n_queries,
        "n_grades": len(graded),
    }


def _by_rater(ratings: Ratings) -> dict[str, int]:
    """Rater -> grades, those alone who graded, by name."""
    counts = np.bincount(ratings.rater, minlength=len(ratings.raters))
    by_name = sorted(zip(ratings.raters, counts.tolist(), strict=True))
    return {name: n for name, n in by_name if n}


def _raters(graded: Ratings, flags: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    return [
        {"rater": name, "n": n, "flags": list(flags.get(name, ()))}
        for name, n in _by_rater(graded).items()
    ]


def _excluded(ratings: Ratings) -> list[dict[str, Any]]:
    counts = _by_rater(ratings)
    return [
        {"rater": name, "reason": why, "n": counts.get(name, 0)}
        for name, why in sorted(ratings.excluded.items())
    ]
