"""Formulas of agreement on square tables of grades, many tables at once.

Tables count rating pairs: rows the one rating, columns the other, grades from 0. The formulas give
the same numbers as the libraries `krippendorff`, scikit-learn and irrCAC (tests compare), for a
thousand resamples or ten thousand queries in one array operation.
"""

from functools import cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

GRADES = (0, 1, 2, 3)

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
Weights: TypeAlias = Literal["nominal", "quadratic"]
Floats: TypeAlias = NDArray[np.float64]
Tables: TypeAlias = Floats
"""Shape (..., grades, grades)."""


@cache
def _nominal(n_grades: int) -> Floats:
    """Distance 1 between different grades."""
    return 1.0 - np.eye(n_grades)


@cache
def _quadratic(n_grades: int) -> Floats:
    """Distance (c - k)^2."""
    return np.subtract.outer(np.arange(n_grades), np.arange(n_grades)).astype(float) ** 2


def _distances(weights: Weights, n_grades: int) -> Floats:
    return _nominal(n_grades) if weights == "nominal" else _quadratic(n_grades)


def alpha(coincidences: Tables, level: Level) -> Floats:
    """Krippendorff's alpha, 1 - D_observed / D_expected; NaN where all grades are equal.

    D_o = sum(o_ck * d_ck) / n, D_e = sum(n_c * n_k * d_ck) / (n * (n - 1)), with o the
    coincidences, n_c their row sums and n their total. The distance d_ck is 1 (nominal), (c - k)^2
    (interval) or (sum of n_g for g from c to k - (n_c + n_k) / 2)^2 (ordinal), which is the squared
    difference of mid-ranks. Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    """
    n_c = coincidences.sum(axis=-1)
    n = n_c.sum(axis=-1)
    distance = _alpha_distances(n_c, level)
    observed = (coincidences * distance).sum(axis=(-2, -1))
    expected = (n_c[..., :, None] * n_c[..., None, :] * distance).sum(axis=(-2, -1))
    return 1.0 - _ratio(observed * (n - 1.0), expected)


def _alpha_distances(n_c: Floats, level: Level) -> Floats:
    if level == "nominal":
        return _nominal(n_c.shape[-1])
    if level == "interval":
        return _quadratic(n_c.shape[-1])
    mid_rank = n_c.cumsum(axis=-1) - n_c / 2.0
    return np.asarray((mid_rank[..., :, None] - mid_rank[..., None, :]) ** 2)


def kappa(confusion: Tables, weights: Weights) -> Floats:
    """Cohen's kappa, 1 - sum(w * observed) / sum(w * expected by the margins); NaN if undefined.

    w is 1 off the diagonal (nominal) or (c - k)^2 (quadratic), over all grades whether they were
    used or not. Cohen (1960), (1968).
    """
    n_grades = confusion.shape[-1]
    w = _distances(weights, n_grades)
    # Matrix products are several times faster than sums over axes of four.
    flat = confusion.reshape(*confusion.shape[:-2], n_grades**2)
    rows, columns = flat @ _row_sums(n_grades), flat @ _column_sums(n_grades)
    ones = np.ones(n_grades)
    observed = (flat @ w.ravel()) * (rows @ ones)
    expected = ((rows @ w) * columns) @ ones
    return 1.0 - _ratio(observed, expected)


@cache
def _row_sums(n_grades: int) -> Floats:
    """The matrix that makes row sums of flat tables, shape (n_grades^2, n_grades)."""
    return np.repeat(np.eye(n_grades), n_grades, axis=0)


@cache
def _column_sums(n_grades: int) -> Floats:
    """The same for column sums."""
    return np.tile(np.eye(n_grades), (n_grades, 1))


def gwet(shares: Tables, prevalence: Floats, weights: Weights) -> Floats:
    """Gwet's AC1 (nominal) or AC2 (quadratic), (p_a - p_e) / (1 - p_e); NaN without a shared pair.

    With agreement weights v_kl = 1 - d_kl / max d, d the distance 1 or (k - l)^2, and q grades:
    p_a is the mean over the pairs graded by two or more of sum(v_kl * r_k * (r_l - [k = l])) /
    (r * (r - 1)), where r_k raters of r gave grade k; p_e = sum(v) / (q * (q - 1)) *
    sum(pi_k * (1 - pi_k)), where pi_k is the mean of r_k / r over all graded pairs, those of one
    rater too. p_e is at most 1 / 2 for AC1 and below 1 for AC2: AC1 and AC2 are defined where all
    grades are equal, and are 1 there. Gwet (2008), Computing inter-rater reliability and its
    variance in the presence of high agreement; Gwet (2014), Handbook of Inter-Rater Reliability,
    4th edition, chapters 2 and 3.

    Args:
        shares: The sum over pairs graded by two or more of their rating pairs, those of one pair
            weighing 1 together; shape (..., q, q).
        prevalence: The sum of r_k / r over all graded pairs, shape (..., q).
        weights: nominal for AC1, quadratic for AC2.
    """
    q = shares.shape[-1]
    distance = _distances(weights, q)
    weight = 1.0 - distance / distance.max()
    p_a = _ratio(np.einsum("...kl,kl->...", shares, weight), shares.sum(axis=(-2, -1)))
    pi = _ratio(prevalence, prevalence.sum(axis=-1, keepdims=True))
    p_e = weight.sum() / (q * (q - 1)) * (pi * (1.0 - pi)).sum(axis=-1)
    return _ratio(p_a - p_e, 1.0 - p_e)


def share_equal(rating_pairs: Tables) -> Floats:
    """Share of rating pairs in which both gave the same grade, 0 to 1; NaN without any."""
    equal = np.trace(rating_pairs, axis1=-2, axis2=-1)
    return _ratio(equal, rating_pairs.sum(axis=(-2, -1)))


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """The quotient, NaN where the denominator is 0 (the caller counts and explains these)."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    return np.asarray(
        np.divide(numerator, denominator, out=np.full(shape, np.nan), where=denominator > 0)
    )
