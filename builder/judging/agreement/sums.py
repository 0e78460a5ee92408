"""What statistics of agreement need of the pairs, summed by query, and the statistics of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from builder.judging.agreement.coefficients import Floats, Tables, alpha, gwet, share_equal
from builder.judging.agreement.units import Units


class Sums(NamedTuple):
    """Sums over pairs; any leading shape.

    Attributes:
        coincidences: Ordered rating pairs within a pair of m ratings, each weighing 1 / (m - 1), so
            that a rating weighs the same however many raters there were.
        rating_pairs: The same, each weighing 1.
        shares: The same, each weighing 1 / (m * (m - 1)): a pair weighs 1.
        prevalence: Share of the pair's ratings that are each grade; pairs of one rating too.
    """

    coincidences: Tables
    rating_pairs: Tables
    shares: Tables
    prevalence: Floats


Statistic: TypeAlias = Callable[[Sums], Floats]
"""One number for each of the leading shape; NaN where it is undefined."""

STATISTICS: Final[Mapping[str, Statistic]] = {
    "alpha_ordinal": lambda sums: alpha(sums.coincidences, "ordinal"),
    "alpha_nominal": lambda sums: alpha(sums.coincidences, "nominal"),
    "alpha_interval": lambda sums: alpha(sums.coincidences, "interval"),
    "percent_agreement": lambda sums: share_equal(sums.rating_pairs),
    "ac1": lambda sums: gwet(sums.shares, sums.prevalence, "nominal"),
    "ac2": lambda sums: gwet(sums.shares, sums.prevalence, "quadratic"),
}


@dataclass(frozen=True, slots=True)
class QuerySums:
    """Sums by query, or by query and something else; one row for each that has a graded pair.

    Attributes:
        group: What the sums were made by, ascending; shape (rows,).
        n_judged: Pairs that somebody graded, shape (rows,).
        n_pairs: Pairs that two or more graded, shape (rows,).
        n_grades: Grades, shape (rows,).
        columns: The four sums side by side, shape (rows, columns).
        scale: How many grades the scale has.
    """

    group: NDArray[np.int64]
    n_judged: NDArray[np.int64]
    n_pairs: NDArray[np.int64]
    n_grades: NDArray[np.int64]
    columns: Floats
    scale: int

    def take(self, chosen: NDArray[np.int64] | NDArray[np.bool_]) -> "QuerySums":
        """The chosen rows, by position or by yes and no."""
        return QuerySums(
            self.group[chosen],
            self.n_judged[chosen],
            self.n_pairs[chosen],
            self.n_grades[chosen],
            self.columns[chosen],
            self.scale,
        )


def sums_by(units: Units, group: NDArray[np.int64]) -> QuerySums:
    """Sums the pairs of equal `group`, shape (pairs,)."""
    groups, place = np.unique(group, return_inverse=True)
    n, counts = len(groups), units.counts.astype(float)
    raters = units.n_raters
    shared = np.flatnonzero(units.is_shared)
    m = raters[shared, None].astype(float)
    pairs = _ordered_rating_pairs(counts[shared])
    cells = (pairs / (m - 1.0), pairs, pairs / (m * (m - 1.0)))
    by_shared = [_summed(place[shared], values, n) for values in cells]
    prevalence = _summed(place, counts / raters[:, None], n)
    return QuerySums(
        group=groups,
        n_judged=np.bincount(place, minlength=n),
        n_pairs=np.bincount(place[shared], minlength=n),
        n_grades=np.bincount(place, raters, n).astype(np.int64),
        columns=np.concatenate([*by_shared, prevalence], axis=1),
        scale=counts.shape[1],
    )


def _ordered_rating_pairs(counts: Floats) -> Floats:
    """How often each two grades meet within a pair, each order once; shape (pairs, grades^2)."""
    n, scale = counts.shape
    meet = counts[:, :, None] * counts[:, None, :]
    meet[:, np.arange(scale), np.arange(scale)] -= counts
    return meet.reshape(n, scale * scale)


def _summed(place: NDArray[np.int64], values: Floats, n: int) -> Floats:
    """Sums of rows of equal place, shape (n, columns)."""
    sums = [np.bincount(place, column, minlength=n) for column in values.T]
    return np.stack(sums, axis=1)


def as_sums(columns: Floats, scale: int) -> Sums:
    """The four sums that stand side by side in `columns`, shape (..., columns)."""
    square = scale * scale

    def table(at: int) -> Tables:
        chosen = columns[..., at * square : (at + 1) * square]
        return chosen.reshape(*columns.shape[:-1], scale, scale)

    return Sums(table(0), table(1), table(2), columns[..., 3 * square :])
