"""Intervals for a mean and for a proportion."""

import math
from collections.abc import Sequence

from estimates.record import Estimate

CONFIDENCE = 0.95


def mean_interval(
    values: Sequence[float], *, low: float = -math.inf, high: float = math.inf
) -> Estimate:
    """Mean of `values` with its 95 % Student t interval, clipped to [low, high].

    mean +- t(n-1, .975) * s / sqrt(n), with s the sample standard deviation (n - 1). The values
    are the units that were sampled: for an offline measure one score per query. Student (1908),
    The probable error of a mean.

    Args:
        values: One number per sampled unit, shape (n,).
        low: Smallest value that the measure can take.
        high: Largest value that the measure can take.

    Returns:
        The estimate; without a value for n = 0, without an interval for n = 1.

    Raises:
        ValueError: A value is NaN or infinite.
    """
    n = len(values)
    if n == 0:
        return Estimate.undefined("no_values")
    mean = math.fsum(values) / n
    if n == 1:
        return Estimate(value=mean, n=1, reason="one_value_has_no_interval")
    from scipy.special import stdtrit

    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    half = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * math.sqrt(variance / n)
    return Estimate(value=mean, low=max(low, mean - half), high=min(high, mean + half), n=n)


def wilson(successes: int, n: int) -> Estimate:
    """The proportion successes / n with its 95 % Wilson score interval, all in [0, 1].

    (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n). Wilson (1927), Probable inference.

    Raises:
        ValueError: `successes` is not between 0 and `n`.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"successes == {successes}, must be between 0 and n == {n}")
    if n == 0:
        return Estimate.undefined("no_trials")
    z = 1.959963984540054  # the standard normal's .975 quantile
    p = successes / n
    centre = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # The bounds are exact at the ends; rounding would leave 1e-17 there.
    low = 0.0 if successes == 0 else (centre - half) / scale
    high = 1.0 if successes == n else (centre + half) / scale
    return Estimate(value=p, low=low, high=high, n=n)
