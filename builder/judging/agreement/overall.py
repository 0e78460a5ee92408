"""How far the raters agree: alpha, kappa per pair of raters, percent agreement; humans only."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from builder.judging.agreement.coefficients import (
    CONFIDENCE_PERCENTILES,
    GRADES,
    Level,
    Statistic,
    Tables,
    Weights,
    alpha,
    kappa,
    resampled,
    share_equal,
)
from builder.store.judgments import GradeRow
from estimates import Estimate, finite_or_none

RESAMPLES = 1000

Ratings: TypeAlias = Mapping[str, int]
"""rater -> grade, of one pair."""


@dataclass(frozen=True, slots=True)
class _Overlap:
    """The pairs that two or more people graded, by query."""

    queries: list[str]
    units: list[tuple[int, Ratings]]
    """Position of the query in `queries`, and the ratings of one of its pairs."""


@dataclass(frozen=True, slots=True)
class _Resampling:
    """How intervals are made, and how many resamples were undefined, by statistic."""

    resamples: int
    seed: int
    undefined: Counter[str]


def agreement(
    rows: Iterable[GradeRow], *, resamples: int = RESAMPLES, seed: int = 0
) -> dict[str, Any]:
    """Agreement of the humans among the raters, as the command `agreement` prints it.

    Intervals are 95 % percentile intervals over resampled queries.

    Args:
        rows: Current judgments in any order; rows that are no grade or of no human are ignored.
        resamples: How many times the queries are drawn anew.
        seed: Of the random generator.

    Returns:
        n_raters, n_judged (pairs), n_pairs (graded by two or more), n_grades, alpha_ordinal,
        alpha_nominal, alpha_interval, percent_agreement, pairwise, raters, and `resampling`: unit,
        queries, resamples, seed and how many resamples were undefined. A statistic that cannot be
        computed has the value None and a reason.
    """
    ratings = _human_ratings(rows)
    overlap = _overlap(ratings)
    by_rater = Counter(rater for of_pair in ratings.values() for rater in of_pair)
    how = _Resampling(resamples, seed, Counter())
    return {
        "n_raters": len(by_rater),
        "n_judged": len(ratings),
        "n_pairs": len(overlap.units),
        "n_grades": by_rater.total(),
        **_overall(overlap, _nothing_to_compare(by_rater, overlap), how),
        "pairwise": _pairwise(overlap, how),
        "raters": [{"rater": name, "n": n, "flags": []} for name, n in sorted(by_rater.items())],
        "resampling": {
            "unit": "query",
            "queries": len(overlap.queries),
            "resamples": resamples,
            "seed": seed,
            "undefined": dict(sorted(how.undefined.items())),
        },
    }


def _human_ratings(rows: Iterable[GradeRow]) -> dict[tuple[str, str], dict[str, int]]:
    """(query, document) -> rater -> grade, where a human graded."""
    ratings: defaultdict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for row in rows:
        if row.kind == "human" and row.grade is not None:
            ratings[row.query_id, row.doc_id][row.rater] = row.grade
    return dict(ratings)


def _overlap(ratings: Mapping[tuple[str, str], Ratings]) -> _Overlap:
    shared = {pair: of_pair for pair, of_pair in sorted(ratings.items()) if len(of_pair) > 1}
    queries = sorted({query for query, _ in shared})
    position = {query: at for at, query in enumerate(queries)}
    return _Overlap(queries, [(position[query], given) for (query, _), given in shared.items()])


def _nothing_to_compare(by_rater: Mapping[str, int], overlap: _Overlap) -> str | None:
    """The reason why no statistic of agreement can be computed; None if one can."""
    if not by_rater:
        return "no_human_grades"
    if len(by_rater) == 1:
        return "one_rater"
    return None if overlap.units else "no_pair_graded_by_two"


def _overall(overlap: _Overlap, reason: str | None, how: _Resampling) -> dict[str, Any]:
    """The three alphas and percent agreement."""
    names = ("alpha_ordinal", "alpha_nominal", "alpha_interval", "percent_agreement")
    if reason:
        return {name: Estimate.undefined(reason).as_json() for name in names}
    counts = _value_counts(overlap)
    coincidences = _per_query(overlap, counts, lambda n_raters: n_raters - 1)
    rating_pairs = _per_query(overlap, counts, np.ones_like)
    levels: tuple[Level, ...] = ("ordinal", "nominal", "interval")
    statistics = {
        f"alpha_{level}": _estimate(
            f"alpha_{level}",
            _library_alpha(counts, level),
            (coincidences, partial(alpha, level=level)),
            how,
            n=len(overlap.units),
        )
        for level in levels
    }
    statistics["percent_agreement"] = _estimate(
        "percent_agreement",
        float(share_equal(rating_pairs.sum(axis=0))),
        (rating_pairs, share_equal),
        how,
        n=len(overlap.units),
    )
    return {name: statistics[name].as_json() for name in names}


def _value_counts(overlap: _Overlap) -> NDArray[np.int64]:
    """How many raters gave each grade to each pair, shape (pairs, 4)."""
    counts = np.zeros((len(overlap.units), len(GRADES)), dtype=np.int64)
    for at, (_, given) in enumerate(overlap.units):
        for grade in given.values():
            counts[at, grade] += 1
    return counts


def _per_query(
    overlap: _Overlap,
    counts: NDArray[np.int64],
    divisor: Callable[[NDArray[np.int64]], NDArray[np.int64]],
) -> Tables:
    """Ordered rating pairs within a document, summed by query; shape (queries, 4, 4).

    A document with m ratings gives m * (m - 1) of them, each weighing 1 / divisor(m): m - 1 for
    coincidences (so that a rating weighs the same however many raters there were), else 1.
    """
    n_raters = counts.sum(axis=1)
    within = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(4)
    tables = np.zeros((len(overlap.queries), 4, 4))
    of_query = [query for query, _ in overlap.units]
    np.add.at(tables, of_query, within / divisor(n_raters)[:, None, None])
    return tables


def _library_alpha(counts: NDArray[np.int64], level: Level) -> float | None:
    """Krippendorff's alpha by the library of that name; None where all grades are equal."""
    import krippendorff

    if np.count_nonzero(counts.sum(axis=0)) == 1:
        return None
    return float(
        krippendorff.alpha(
            value_counts=counts, value_domain=list(GRADES), level_of_measurement=level
        )
    )


def _pairwise(overlap: _Overlap, how: _Resampling) -> list[dict[str, Any]]:
    """Cohen's kappas of every two raters who graded a pair in common."""
    shared: defaultdict[tuple[str, str], list[tuple[int, int, int]]] = defaultdict(list)
    for query, given in overlap.units:
        for one, other in combinations(sorted(given), 2):
            shared[one, other].append((query, given[one], given[other]))
    return [
        {
            "raters": list(raters),
            "n": len(graded),
            "kappa_quadratic": _kappa(np.array(graded), "quadratic", how).as_json(),
            "kappa_nominal": _kappa(np.array(graded), "nominal", how).as_json(),
        }
        for raters, graded in sorted(shared.items())
    ]


def _kappa(graded: NDArray[np.int64], weights: Weights, how: _Resampling) -> Estimate:
    """Kappa of two raters; `graded` holds query, grade, other grade, shape (pairs, 3)."""
    query, one, other = graded.T
    if len(graded) < 2:
        return Estimate.undefined("fewer_than_two_pairs", n=len(graded))
    _, position = np.unique(query, return_inverse=True)
    tables = np.zeros((position.max() + 1, 4, 4))
    np.add.at(tables, (position, one, other), 1.0)
    value = finite_or_none(float(kappa(tables.sum(axis=0), weights)))
    source = (tables, partial(kappa, weights=weights))
    return _estimate(f"kappa_{weights}", value, source, how, n=len(graded))


def _estimate(
    name: str,
    value: float | None,
    source: tuple[Tables, Statistic],
    how: _Resampling,
    *,
    n: int,
) -> Estimate:
    """The value with its interval by resampling queries, or the reasons for what is missing."""
    per_query, statistic = source
    if value is None:
        return Estimate.undefined("all_grades_equal", n=n)
    if len(per_query) == 1:
        return Estimate(value, n=n, reason="one_query_has_no_interval")
    drawn = resampled(per_query, statistic, resamples=how.resamples, seed=how.seed)
    defined = drawn[np.isfinite(drawn)]
    how.undefined[name] += len(drawn) - len(defined)
    if 2 * len(defined) < len(drawn):
        return Estimate(value, n=n, reason="most_resamples_undefined")
    low, high = np.percentile(defined, CONFIDENCE_PERCENTILES)
    return Estimate(value, low=float(low), high=float(high), n=n)
