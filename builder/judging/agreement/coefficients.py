"""Formulas of agreement on 4 x 4 tables, many tables at once, and their resampling by query.

Tables count rating pairs: rows the one rating, columns the other, grades 0 to 3. The formulas give
the same numbers as the libraries `krippendorff` and scikit-learn (tests compare), for a thousand
resamples in one array operation.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

GRADES = (0, 1, 2, 3)
CONFIDENCE_PERCENTILES = (2.5, 97.5)

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
Weights: TypeAlias = Literal["nominal", "quadratic"]
Tables: TypeAlias = NDArray[np.float64]
"""Shape (..., 4, 4)."""
Statistic: TypeAlias = Callable[[Tables], NDArray[np.float64]]
"""From tables of shape (..., 4, 4) to one number for each; NaN where it is undefined."""

_NOMINAL = 1.0 - np.eye(len(GRADES))
_QUADRATIC = np.subtract.outer(GRADES, GRADES).astype(float) ** 2


def alpha(coincidences: Tables, level: Level) -> NDArray[np.float64]:
    """Krippendorff's alpha, 1 - D_observed / D_expected; NaN where all grades are equal.

    D_o = sum(o_ck * d_ck) / n, D_e = sum(n_c * n_k * d_ck) / (n * (n - 1)), with o the
    coincidences, n_c their row sums and n their total. The distance d_ck is 1 (nominal), (c - k)^2
    (interval) or (sum of n_g for g from c to k - (n_c + n_k) / 2)^2 (ordinal), which is the squared
    difference of mid-ranks. Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    """
    n_c = coincidences.sum(axis=-1)
    n = n_c.sum(axis=-1)
    distance = _distance(n_c, level)
    observed = (coincidences * distance).sum(axis=(-2, -1))
    expected = (n_c[..., :, None] * n_c[..., None, :] * distance).sum(axis=(-2, -1))
    return 1.0 - _ratio(observed * (n - 1.0), expected)


def _distance(n_c: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    if level == "nominal":
        return _NOMINAL
    if level == "interval":
        return _QUADRATIC
    mid_rank = n_c.cumsum(axis=-1) - n_c / 2.0
    return np.asarray((mid_rank[..., :, None] - mid_rank[..., None, :]) ** 2)


def kappa(confusion: Tables, weights: Weights) -> NDArray[np.float64]:
    """Cohen's kappa, 1 - sum(w * observed) / sum(w * expected by the margins); NaN if undefined.

    w is 1 off the diagonal (nominal) or (c - k)^2 (quadratic), over all four grades whether they
    were used or not. Cohen (1960), (1968).
    """
    w = _NOMINAL if weights == "nominal" else _QUADRATIC
    rows, columns = confusion.sum(axis=-1), confusion.sum(axis=-2)
    observed = (confusion * w).sum(axis=(-2, -1)) * rows.sum(axis=-1)
    expected = (rows[..., :, None] * columns[..., None, :] * w).sum(axis=(-2, -1))
    return 1.0 - _ratio(observed, expected)


def share_equal(rating_pairs: Tables) -> NDArray[np.float64]:
    """Share of rating pairs in which both gave the same grade, 0 to 1; NaN without any."""
    equal = np.trace(rating_pairs, axis1=-2, axis2=-1)
    return _ratio(equal, rating_pairs.sum(axis=(-2, -1)))


def _ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quotient, NaN where the denominator is 0 (the caller counts and explains these)."""
    blank = np.full(np.shape(numerator), np.nan)
    return np.asarray(np.divide(numerator, denominator, out=blank, where=denominator > 0))


def resampled(
    per_query: Tables, statistic: Statistic, *, resamples: int, seed: int
) -> NDArray[np.float64]:
    """The statistic of `resamples` draws of as many queries as there are, with replacement.

    Queries are what was sampled: pairs of one query resemble each other, and resampling single
    pairs gives intervals several times too narrow.

    Args:
        per_query: One table per query, shape (queries, 4, 4).
        statistic: What is computed of the sum of the drawn tables.
        resamples: How many draws.
        seed: Of the random generator; the same seed gives the same draws.

    Returns:
        Shape (resamples,), NaN for a draw in which the statistic is undefined.
    """
    n = len(per_query)
    generator = np.random.default_rng(seed)
    chances = np.full(n, 1.0 / n)
    block = max(1, 1_000_000 // n)  # so many draws at once that memory stays flat
    flat = per_query.reshape(n, -1)
    values = [
        statistic((generator.multinomial(n, chances, size=size) @ flat).reshape(size, 4, 4))
        for size in _blocks(resamples, block)
    ]
    return np.concatenate(values)


def _blocks(total: int, block: int) -> list[int]:
    """Sizes of the parts of `total`, each at most `block`."""
    full, rest = divmod(total, block)
    return [block] * full + ([rest] if rest else [])
