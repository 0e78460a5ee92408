"""How far the raters agree: alpha, AC1 and AC2, percent agreement, kappa by pair of raters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from builder.judging.agreement.coefficients import GRADES, Level
from builder.judging.agreement.copies import Copy, find_copies
from builder.judging.agreement.disagreements import is_disputed
from builder.judging.agreement.estimating import Resampling, as_json, estimated
from builder.judging.agreement.pairwise import pairwise
from builder.judging.agreement.sums import STATISTICS, QuerySums, sums_by
from builder.judging.agreement.units import Units, counted, rows_where, without_excluded
from builder.judging.agreement.verdict import Evidence, verdict
from builder.store.grades import GradeRow
from builder.store.ratings import Ratings, ratings_of
from estimates import Estimate

RESAMPLES = 1000

_LEVELS: tuple[Level, ...] = ("ordinal", "nominal", "interval")


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
        flags: Rater -> codes of what is odd about this rater.
        n_grades: How many grades the scale has; 4 but in studies of others.

    Returns:
        n_raters, n_judged (pairs), n_pairs (graded by two or more), n_queries (of these), n_grades,
        the statistics alpha_ordinal, alpha_nominal, alpha_interval, percent_agreement (over rating
        pairs), ac1 and ac2 (quadratic weights); pairwise; raters; excluded; others (grades of no
        human, by kind); copies and alpha_ordinal_without_copies (None where there are none);
        verdict; and resampling: unit, queries, resamples, seed, undefined (by statistic, the
        resamples without a value). A statistic that cannot be computed has the value None and a
        reason (`words.in_words` says it in words).

    Raises:
        ValueError: A grade is not on the scale.
    """
    graded, how = without_excluded(ratings), Resampling(resamples, seed)
    whole = _measured(graded, n_grades, how)
    copies = find_copies(graded)
    apart = _apart(graded, copies, n_grades, Resampling(resamples, seed))
    return {
        **_counts(graded, whole.sums),
        **as_json(whole.found),
        "pairwise": pairwise(graded, n_grades),
        "raters": _raters(graded, flags or {}),
        "excluded": _excluded(ratings),
        "others": dict(sorted(ratings.others.items())),
        "copies": [
            {"raters": list(copy.raters), "n": copy.n, "later": copy.later} for copy in copies
        ],
        "alpha_ordinal_without_copies": apart.alpha.as_json() if apart else None,
        "verdict": verdict(whole.evidence, apart),
        "resampling": {
            "unit": "query",
            "queries": whole.evidence.n_queries,
            "resamples": resamples,
            "seed": seed,
            "undefined": dict(sorted(how.undefined.items())),
        },
    }


@dataclass(frozen=True, slots=True)
class _Measured:
    """The statistics of some grades, and what they were made of."""

    units: Units
    sums: QuerySums
    found: dict[str, Estimate]

    @property
    def evidence(self) -> Evidence:
        """What a verdict needs to know."""
        return Evidence(
            alpha=self.found["alpha_ordinal"],
            percent=self.found["percent_agreement"],
            n_pairs=int(self.sums.n_pairs.sum()),
            n_queries=int(np.count_nonzero(self.sums.n_pairs)),
            n_disputed=int(np.count_nonzero(is_disputed(self.units.counts))),
        )


def _measured(graded: Ratings, n_grades: int, how: Resampling) -> _Measured:
    units = counted(graded, n_grades)
    sums = sums_by(units, units.query)
    found = estimated(sums, STATISTICS, how, reason=_nothing_to_compare(graded))
    for level in _LEVELS:
        name = f"alpha_{level}"
        if found[name].value is not None:
            value = _library_alpha(units.counts, level)
            found[name] = replace(found[name], value=value)
    return _Measured(units, sums, found)


def _apart(
    graded: Ratings, copies: Sequence[Copy], n_grades: int, how: Resampling
) -> Evidence | None:
    """What the grades say without the copies among them; None where there are none."""
    if not copies:
        return None
    return _measured(_without_copies(graded, copies), n_grades, how).evidence


def _nothing_to_compare(graded: Ratings) -> str | None:
    """Why no statistic of agreement can be computed, as far as raters are the reason."""
    n_raters = len(np.unique(graded.rater))
    if n_raters == 0:
        return "no_human_grades"
    return "one_rater" if n_raters == 1 else None


def _library_alpha(counts: NDArray[np.int64], level: Level) -> float:
    """Krippendorff's alpha by the library of that name, of counts shape (pairs, grades)."""
    import krippendorff

    return float(
        krippendorff.alpha(
            value_counts=counts,
            value_domain=list(range(counts.shape[1])),
            level_of_measurement=level,
        )
    )


def _without_copies(graded: Ratings, copies: Iterable[Copy]) -> Ratings:
    """The grades less those that are copies of another grade of the same pair.

    Of two raters whose grades are copies the later loses its grades of the pairs that both graded
    (where none is known to be later, the one further down in the alphabet), also where the two
    differ: to keep the differences alone would be unjust to them.
    """
    names, is_independent = list(graded.raters), np.ones(len(graded), dtype=np.bool_)
    for copy in copies:
        copier = copy.later or copy.raters[1]
        other = next(name for name in copy.raters if name != copier)
        own = graded.rater == names.index(copier)
        others_pairs = graded.pair[graded.rater == names.index(other)]
        is_independent &= ~(own & np.isin(graded.pair, others_pairs))
    return rows_where(graded, is_independent)


def _counts(graded: Ratings, sums: QuerySums) -> dict[str, int]:
    return {
        "n_raters": len(np.unique(graded.rater)),
        "n_judged": int(sums.n_judged.sum()),
        "n_pairs": int(sums.n_pairs.sum()),
        "n_queries": int(np.count_nonzero(sums.n_pairs)),
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
