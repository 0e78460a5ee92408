"""Pairs with their grades counted: the units that statistics of agreement are made of."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from builder.judging.agreement.coefficients import GRADES
from builder.store.ratings import Ratings


@dataclass(frozen=True, slots=True)
class Units:
    """One row a pair, in the order of the ratings.

    Attributes:
        pair: The pair's number, shape (pairs,).
        query: Position of its query in the ratings' `query_ids`, shape (pairs,).
        counts: How many raters gave each grade, shape (pairs, n_grades).
        seconds: When its last grade was made, in seconds since 1970 UTC; NaN where no grade of
            it has a time; shape (pairs,).
    """

    pair: NDArray[np.int64]
    query: NDArray[np.int64]
    counts: NDArray[np.int64]
    seconds: NDArray[np.float64]

    def __len__(self) -> int:
        """How many pairs."""
        return len(self.pair)

    @property
    def n_raters(self) -> NDArray[np.int64]:
        """How many raters graded each pair, shape (pairs,)."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def is_shared(self) -> NDArray[np.bool_]:
        """Whether two or more raters graded the pair, shape (pairs,)."""
        return self.n_raters > 1

    def where(self, chosen: NDArray[np.bool_]) -> "Units":
        """The chosen pairs alone; `chosen` has shape (pairs,)."""
        return Units(
            self.pair[chosen], self.query[chosen], self.counts[chosen], self.seconds[chosen]
        )


def rows_where(ratings: Ratings, chosen: NDArray[np.bool_]) -> Ratings:
    """The chosen grades alone; `chosen` has shape (n,)."""
    return replace(
        ratings,
        query=ratings.query[chosen],
        pair=ratings.pair[chosen],
        rater=ratings.rater[chosen],
        grade=ratings.grade[chosen],
        seconds=ratings.seconds[chosen],
        milliseconds=ratings.milliseconds[chosen],
    )


def without_excluded(ratings: Ratings) -> Ratings:
    """The grades of the raters who count; who is excluded stays named in `excluded`."""
    if not ratings.excluded:
        return ratings
    counts = np.array([name not in ratings.excluded for name in ratings.raters], dtype=np.bool_)
    return rows_where(ratings, counts[ratings.rater])


def counted(ratings: Ratings, n_grades: int = len(GRADES)) -> Units:
    """The pairs of these grades, each with its grades counted.

    Args:
        ratings: Grades 0 to n_grades - 1; all of them count, so take the excluded out before.
        n_grades: How many grades the scale has.

    Raises:
        ValueError: A grade is not on the scale.
    """
    if len(ratings) and not 0 <= ratings.grade.min() <= ratings.grade.max() < n_grades:
        raise ValueError(f"grades must be 0 to {n_grades - 1}")
    is_first = np.ones(len(ratings), dtype=np.bool_)
    is_first[1:] = ratings.pair[1:] != ratings.pair[:-1]
    first = np.flatnonzero(is_first)
    cell = (np.cumsum(is_first) - 1) * n_grades + ratings.grade
    counts = np.bincount(cell, minlength=len(first) * n_grades).reshape(-1, n_grades)
    last = np.fmax.reduceat(ratings.seconds, first) if len(first) else ratings.seconds
    return Units(ratings.pair[first], ratings.query[first], counts, last)
