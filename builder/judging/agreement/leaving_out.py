"""Statistics of sums by group, with intervals from leaving out one query at a time.

A group is a rater, a rater's week or two raters. Pairs of one query resemble each other, so the
query is what is left out: the jackknife of clusters, with Student's t of as many degrees of freedom
as there are queries less one. Efron and Tibshirani (1993), An Introduction to the Bootstrap, 11.
One pass does where drawing queries anew needs a thousand; for smooth statistics it is as exact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from builder.judging.agreement.estimating import FEWEST_QUERIES
from estimates import Estimate

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Statistic: TypeAlias = Callable[[Floats], Floats]
"""From sums, shape (..., columns), to one number for each; NaN where it is undefined."""
Scale: TypeAlias = Literal["kappa", "share", "difference"]
"""Kappas get their interval on Fisher's z, shares on the logit, differences as they are."""

DENSE_CELLS = 30_000_000
"""Up to so many cells, counting into all of them is faster than sorting."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums of columns by group and query, those cells alone in which something was counted.

    Attributes:
        group: Shape (cells,), ascending.
        query: Shape (cells,).
        values: Shape (cells, columns).
        n_groups: How many groups there are, empty ones too.
    """

    group: Ints
    query: Ints
    values: Floats
    n_groups: int

    @property
    def totals(self) -> Floats:
        """The sums by group, shape (groups, columns)."""
        found = np.zeros((self.n_groups, self.values.shape[1]))
        first = np.flatnonzero(np.diff(self.group, prepend=-1))
        if len(first):
            found[self.group[first]] = np.add.reduceat(self.values, first, axis=0)
        return found


def sums_by(group: Ints, query: Ints, columns: list[Floats], n_groups: int) -> Sums:
    """Sums up the columns of rows; `group`, `query` and each column have shape (rows,)."""
    n_queries = int(query.max()) + 1 if len(query) else 1
    cell = group * n_queries + query
    if n_groups * n_queries <= DENSE_CELLS:
        present = np.flatnonzero(np.bincount(cell, minlength=n_groups * n_queries))
        values = [np.bincount(cell, column, n_groups * n_queries)[present] for column in columns]
    else:
        present, place = np.unique(cell, return_inverse=True)
        values = [np.bincount(place, column, len(present)) for column in columns]
    return Sums(present // n_queries, present % n_queries, np.stack(values, axis=1), n_groups)


@dataclass(frozen=True, slots=True)
class Estimates:
    """A statistic of each group; NaN where it, or its interval, is undefined. Shape (groups,).

    Attributes:
        value: The statistic.
        low: Lower end of its 95 % interval.
        high: Upper end.
        n: What stands behind it: the first column of the sums.
        n_queries: In how many queries.
    """

    value: Floats
    low: Floats
    high: Floats
    n: Ints
    n_queries: Ints

    def at(self, group: int, *, fewest: int = 1, constant: str = "all_grades_equal") -> Estimate:
        """One of them as a record.

        Args:
            group: Which.
            fewest: Below so many units there is no value.
            constant: Why the value is missing where there are units enough.
        """
        n, value = int(self.n[group]), float(self.value[group])
        if n < fewest:
            return Estimate.undefined("too_few_units" if n else "no_pair_graded_by_two", n=n)
        if np.isnan(value):
            return Estimate.undefined(constant, n=n)
        if self.n_queries[group] == 1:
            return Estimate(value, n=n, reason="one_query_has_no_interval")
        if self.n_queries[group] < FEWEST_QUERIES:
            return Estimate(value, n=n, reason="too_few_queries")
        if np.isnan(self.low[group]):
            return Estimate(value, n=n, reason="never_differed")
        return Estimate(value, low=float(self.low[group]), high=float(self.high[group]), n=n)


def estimated(sums: Sums, statistic: Statistic, scale: Scale) -> Estimates:
    """The statistic of each group and its interval, by leaving out each of its queries in turn.

    Of fewer than FEWEST_QUERIES queries there is no interval, as for alpha.
    """
    from scipy.special import stdtrit

    totals = sums.totals
    value = statistic(totals)
    without = statistic(totals[sums.group] - sums.values)
    n_queries = np.bincount(sums.group, minlength=sums.n_groups)
    away = without - value[sums.group]
    # A query without which nothing is defined says nothing about the spread.
    away = np.where(np.isfinite(away), away, 0.0)
    mean = np.bincount(sums.group, away, sums.n_groups) / np.maximum(n_queries, 1)
    squares = np.bincount(sums.group, (away - mean[sums.group]) ** 2, sums.n_groups)
    error = np.sqrt(squares * (n_queries - 1) / np.maximum(n_queries, 1))
    half = stdtrit(np.maximum(n_queries - 1, 1), 0.975) * error
    is_known = (n_queries >= FEWEST_QUERIES) & (error > 1e-12)
    low, high = _interval(value, np.where(is_known, half, np.nan), scale)
    return Estimates(value, low, high, totals[:, 0].astype(np.int64), n_queries)


def _interval(value: Floats, half: Floats, scale: Scale) -> tuple[Floats, Floats]:
    """Value less and plus `half`, on the scale; NaN where `half` is."""
    if scale == "difference":
        return value - half, value + half
    if scale == "kappa":
        centre, slope = np.arctanh(np.clip(value, -0.999999, 0.999999)), 1.0 - value**2
        step = half / np.maximum(slope, 1e-9)
        return np.tanh(centre - step), np.tanh(centre + step)
    inside = np.clip(value, 1e-9, 1.0 - 1e-9)
    centre, step = np.log(inside / (1.0 - inside)), half / (inside * (1.0 - inside))
    return 1.0 / (1.0 + np.exp(step - centre)), 1.0 / (1.0 + np.exp(-step - centre))
