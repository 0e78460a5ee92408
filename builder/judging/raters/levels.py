"""How much higher or lower each rater grades, everybody estimated together."""

import numpy as np
from numpy.typing import NDArray

from builder.judging.agreement.leaving_out import Floats, Ints
from builder.judging.agreement.meetings import Meetings
from builder.store.ratings import Ratings


def levels_of(ratings: Ratings, meetings: Meetings, counts: NDArray[np.bool_]) -> Floats:
    """Each rater's level less that of the middle rater, in grades; shape (raters,).

    A grade is taken as the pair's value plus the rater's level plus noise, and levels are fitted by
    least squares over the pairs with two or more grades. Unlike the difference from the others'
    mean, the level of an honest rater does not fall when a colleague is lenient.

    Args:
        ratings: All grades.
        meetings: Every two grades of one pair.
        counts: Whether a rater counts; those who do not have NaN, like raters who met nobody.
    """
    n_raters = len(ratings.raters)
    of_row = counts[ratings.rater]
    both = of_row[meetings.one] & of_row[meetings.other]
    one, other = meetings.one[both], meetings.other[both]
    weight = 1.0 / _graders(ratings, of_row)[one]
    apart = ratings.grade[one] - ratings.grade[other]
    a, b = ratings.rater[one], ratings.rater[other]
    excess = np.bincount(a, weight * apart, n_raters) - np.bincount(b, weight * apart, n_raters)
    met = np.bincount(a * n_raters + b, weight, n_raters**2).reshape(n_raters, n_raters)
    met = met.astype(np.float64)  # without any rater it would stay whole numbers, which have no NaN
    met += met.T
    laplacian = np.diag(met.sum(axis=1)) - met
    level = np.linalg.pinv(laplacian, hermitian=True) @ excess
    known = met.sum(axis=1) > 0
    level[~known] = np.nan
    return level - np.median(level[known]) if known.any() else level


def _graders(ratings: Ratings, counted: NDArray[np.bool_]) -> Ints:
    """How many raters who count graded the row's pair, shape (rows,)."""
    of_pair = np.cumsum(np.diff(ratings.pair, prepend=ratings.pair[:1]) != 0)
    return np.asarray(np.bincount(of_pair, counted).astype(np.int64)[of_pair])
