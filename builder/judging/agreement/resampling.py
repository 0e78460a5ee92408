"""Intervals by drawing queries anew."""

import numpy as np

from builder.judging.agreement.coefficients import Floats

CONFIDENCE = 0.95
_BLOCK = 2_000_000
"""So many draws of a query at once, that memory stays flat."""


def resampled_sums(columns: Floats, *, resamples: int, seed: int) -> Floats:
    """Sums over as many queries as there are, drawn with replacement.

    Queries are what was sampled: pairs of one query resemble each other, and resampling single
    pairs gives intervals several times too narrow.

    Args:
        columns: One row per query, shape (queries, columns).
        resamples: How many draws.
        seed: Of the random generator; the same seed gives the same draws.

    Returns:
        Shape (resamples, columns).
    """
    n = len(columns)
    generator = np.random.default_rng(seed)
    block = max(1, _BLOCK // n)
    parts = [
        _times_drawn(generator, min(block, resamples - start), n) @ columns
        for start in range(0, resamples, block)
    ]
    return np.concatenate(parts) if parts else np.empty((0, columns.shape[1]))


def _times_drawn(generator: np.random.Generator, size: int, n: int) -> Floats:
    """How many times each of n was drawn in n draws, `size` times over; shape (size, n)."""
    drawn = generator.integers(0, n, size=(size, n)) + n * np.arange(size)[:, None]
    return np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(float)


def bounds(drawn: Floats, n: int) -> tuple[float, float]:
    """The 95 % interval of a statistic by its values over resamples of n queries.

    The expanded percentile interval: percentiles further out than 2.5 and 97.5, as far as Student's
    t of n - 1 degrees of freedom times sqrt(n / (n - 1)) reaches beyond the normal. Plain
    percentiles are too narrow for few queries, since resamples vary by (n - 1) / n too little and
    take the spread for known. Hesterberg (2015), What Teachers Should Know About the Bootstrap, The
    American Statistician 69.

    In simulations of ordinal alpha, clustered by query, the intervals held the true value 93 to
    96 % of the time with 10, 20, 50 and 100 queries (plain percentiles: 88 to 92 % with 10), 92 to
    96 % with 7, 82 to 95 % with 5, and 56 to 80 % with 3.

    Args:
        drawn: Its values, none of them NaN, shape (resamples,).
        n: How many queries, at least 2.
    """
    from scipy.special import ndtr, stdtrit

    tail = (1.0 - CONFIDENCE) / 2.0
    reach = float(stdtrit(n - 1, tail)) * np.sqrt(n / (n - 1))
    share = float(ndtr(reach))
    low, high = np.quantile(drawn, [share, 1.0 - share])
    return float(low), float(high)
