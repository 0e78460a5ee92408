"""Each grade beside those that others gave to the same pair."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from builder.judging.agreement.coefficients import GRADES
from builder.judging.agreement.copies import Copy
from builder.judging.agreement.leaving_out import Floats
from builder.judging.agreement.meetings import Meetings, meetings_of
from builder.store.ratings import Ratings

NO_MAJORITY = -1
N_GRADES = len(GRADES)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """The grades, and of each what others say who count and are no copy of this rater.

    Attributes:
        ratings: The grades, one row each.
        counts: Whether each rater counts (is not excluded), shape (raters,).
        meetings: Every two grades of one pair, those of excluded raters too.
        others: How many others gave each grade to the row's pair, shape (rows, 4). Others are
            raters who count; of two raters whose grades are copies neither is an other to the one.
        n_others: How many others graded the row's pair, shape (rows,).
        mean_of_others: The mean of their grades; NaN where there are none. Shape (rows,).
        copies: Whose grades are copies.
    """

    ratings: Ratings
    counts: NDArray[np.bool_]
    meetings: Meetings
    others: Floats
    n_others: Floats
    mean_of_others: Floats
    copies: tuple[Copy, ...]

    @property
    def majority(self) -> NDArray[np.int64]:
        """The grade that most of the others gave; NO_MAJORITY for a tie and for none."""
        most = self.others.max(axis=1, initial=0.0)
        is_most = self.others == most[:, None]
        is_clear = (most > 0) & (is_most.sum(axis=1) == 1)
        return np.where(is_clear, is_most.argmax(axis=1), NO_MAJORITY)


def compared(ratings: Ratings, copies: Iterable[Copy]) -> Comparisons:
    """Sets each grade beside those of the others."""
    counts = np.array([name not in ratings.excluded for name in ratings.raters], dtype=bool)
    meetings, found = meetings_of(ratings), tuple(copies)
    others = _of_the_pair(ratings, counts)
    for copy in found:
        _take_out(others, ratings, meetings, copy, counts)
    n = others @ np.ones(N_GRADES)
    total = others @ np.arange(float(N_GRADES))
    mean = np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
    return Comparisons(ratings, counts, meetings, others, n, mean, found)


def _of_the_pair(ratings: Ratings, counts: NDArray[np.bool_]) -> Floats:
    """The grades of all who count, less the row's own; shape (rows, 4)."""
    of_pair = np.cumsum(np.diff(ratings.pair, prepend=ratings.pair[:1]) != 0)
    n_pairs = int(of_pair[-1]) + 1 if len(of_pair) else 0
    weight = counts[ratings.rater].astype(float)
    cell = of_pair * N_GRADES + ratings.grade
    by_pair = np.bincount(cell, weight, n_pairs * N_GRADES).reshape(-1, N_GRADES)
    others: Floats = by_pair.astype(float)[of_pair]
    others[np.arange(len(ratings)), ratings.grade] -= weight
    return others


def _take_out(
    others: Floats,
    ratings: Ratings,
    meetings: Meetings,
    copy: Copy,
    counts: NDArray[np.bool_],
) -> None:
    """Two copies are no others to each other."""
    a, b = (ratings.raters.index(name) for name in copy.raters)
    one, other = meetings.one, meetings.other
    rater_of_one, rater_of_other = ratings.rater[one], ratings.rater[other]
    between = (rater_of_one == a) & (rater_of_other == b)
    between |= (rater_of_one == b) & (rater_of_other == a)
    for own, its in ((one[between], other[between]), (other[between], one[between])):
        counted = counts[ratings.rater[its]].astype(float)
        others[own, ratings.grade[its]] -= counted
