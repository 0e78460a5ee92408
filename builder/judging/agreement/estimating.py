"""Statistics of agreement with their intervals, or the reasons for what is missing."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from builder.judging.agreement.coefficients import Floats
from builder.judging.agreement.resampling import bounds, resampled_sums
from builder.judging.agreement.sums import STATISTICS, QuerySums, as_sums
from estimates import Estimate, finite_or_none

FEWEST_PAIRS = 2
"""Of one shared pair alpha is 0 or undefined, whatever the grades."""
FEWEST_QUERIES = 5
"""Of three queries the interval holds the truth only 56 to 80 % of the time, of five 82 to 95 %.

The one rule for every interval of agreement: of alpha, of kappas and of the means of a rater.
"""
_NO_WIDTH = 1e-12


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made.

    Attributes:
        resamples: How many times the queries are drawn anew.
        seed: Of the random generator.
        undefined: Statistic -> resamples in which it was undefined; counted as they are made.
    """

    resamples: int
    seed: int
    undefined: Counter[str] = field(default_factory=Counter)


def estimated(
    sums: QuerySums,
    names: Iterable[str],
    how: Resampling,
    *,
    reason: str | None = None,
) -> dict[str, Estimate]:
    """The named statistics of the queries together, each with its 95 % interval.

    Only queries with a shared pair are drawn anew; what pairs of a single grade say of how common
    each grade is (AC1, AC2) is added to every draw as it is.

    Args:
        sums: One row per query.
        names: Of STATISTICS.
        how: Resamples and seed.
        reason: Why nothing can be computed, where the caller knows.
    """
    n = int(sums.n_pairs.sum())
    if reason is None and n < FEWEST_PAIRS:
        reason = "too_few_units" if n else "no_pair_graded_by_two"
    if reason:
        return {name: Estimate.undefined(reason, n=n) for name in names}
    is_shared = sums.n_pairs > 0
    shared, rest = sums.columns[is_shared], sums.columns[~is_shared].sum(axis=0)
    whole = as_sums(sums.columns.sum(axis=0), sums.scale)
    draws = _draws(shared, rest, how)
    found = {}
    for name in names:
        value = finite_or_none(float(STATISTICS[name](whole)))
        drawn = STATISTICS[name](as_sums(draws, sums.scale))
        how.undefined[name] += int(np.count_nonzero(~np.isfinite(drawn)))
        found[name] = _with_interval(value, drawn, len(shared), n)
    return found


def _draws(shared: Floats, rest: Floats, how: Resampling) -> Floats:
    """The resampled sums; none of a single query, which cannot be drawn anew."""
    if len(shared) == 1:
        return np.empty((0, shared.shape[1]))
    return resampled_sums(shared, resamples=how.resamples, seed=how.seed) + rest


def _with_interval(value: float | None, drawn: Floats, n_queries: int, n: int) -> Estimate:
    if value is None:
        return Estimate.undefined("all_grades_equal", n=n)
    if n_queries == 1:
        return Estimate(value, n=n, reason="one_query_has_no_interval")
    if n_queries < FEWEST_QUERIES:
        return Estimate(value, n=n, reason="too_few_queries")
    defined = drawn[np.isfinite(drawn)]
    if 2 * len(defined) < max(len(drawn), 1):
        return Estimate(value, n=n, reason="most_resamples_undefined")
    if np.ptp(defined) < _NO_WIDTH:
        return Estimate(value, n=n, reason="never_differed")
    low, high = bounds(defined, n_queries)
    return Estimate(value, low=low, high=high, n=n)


def as_json(found: Mapping[str, Estimate]) -> dict[str, dict[str, float | int | str | None]]:
    """The estimates, ready for strict JSON."""
    return {name: estimate.as_json() for name, estimate in found.items()}
