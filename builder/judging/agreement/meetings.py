"""Where two raters met: every two grades of one pair, and their tables by two raters."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from builder.judging.agreement.coefficients import GRADES
from builder.store.ratings import Ratings


@dataclass(frozen=True, slots=True)
class Meetings:
    """Every two grades that one pair got, each two once.

    Attributes:
        one: Row in the ratings of the one grade, shape (n,).
        other: Row of the other, further down, shape (n,).
    """

    one: NDArray[np.int64]
    other: NDArray[np.int64]

    def __len__(self) -> int:
        """How many."""
        return len(self.one)


def meetings_of(ratings: Ratings) -> Meetings:
    """All meetings; a pair with m grades has m * (m - 1) / 2 of them."""
    pair, row = ratings.pair, np.arange(len(ratings))
    found: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for apart in range(1, len(ratings.raters)):
        one = row[:-apart][pair[apart:] == pair[:-apart]]
        if not len(one):
            break
        found.append((one, one + apart))
    if not found:
        return Meetings(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    return Meetings(*(np.concatenate(side) for side in zip(*found, strict=True)))


def tables_by_raters(ratings: Ratings, meetings: Meetings) -> NDArray[np.int64]:
    """Tables of the grades of every two raters, shape (raters, raters, grades, grades).

    Entry [a, b, g, h] counts the pairs to which a gave g and b gave h, so [b, a] is [a, b]
    transposed. There are four grades, or as many as were given.
    """
    once = _tables(ratings, meetings.one, meetings.other)
    return np.asarray(once + once.transpose(1, 0, 3, 2))


def tables_in_time(ratings: Ratings, meetings: Meetings) -> NDArray[np.int64]:
    """The same of those pairs alone that b graded after a: [b, a] is of other pairs than [a, b]."""
    apart = ratings.seconds[meetings.other] - ratings.seconds[meetings.one]
    known = np.abs(apart) > 0  # neither NaN nor at the same moment
    one, other, forward = meetings.one[known], meetings.other[known], apart[known] > 0
    return _tables(ratings, np.where(forward, one, other), np.where(forward, other, one))


def _tables(
    ratings: Ratings, one: NDArray[np.int64], other: NDArray[np.int64]
) -> NDArray[np.int64]:
    n_raters = len(ratings.raters)
    n_grades = max(len(GRADES), int(ratings.grade.max(initial=0)) + 1)
    shape = (n_raters, n_raters, n_grades, n_grades)
    rater, grade = ratings.rater, ratings.grade
    place = np.ravel_multi_index((rater[one], rater[other], grade[one], grade[other]), shape)
    return np.bincount(place, minlength=int(np.prod(shape))).reshape(shape)
