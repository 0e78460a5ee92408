"""What is computed of sums over rating pairs: quadratic kappa, means and shares."""

import numpy as np

from builder.judging.agreement.leaving_out import Floats


def kappa_columns(own: Floats, others: Floats) -> list[Floats]:
    """What the quadratic kappa needs of each grade and those that others gave to the pair.

    Args:
        own: A grade, shape (rows,).
        others: How many others gave each grade, shape (rows, 4).

    Returns:
        Rating pairs, and over them the sums of the own grade a, the other's b, a * a, b * b and
        a * b; each of shape (rows,).
    """
    grades = np.arange(float(others.shape[1]))
    n = others @ np.ones(len(grades))  # much faster than a sum along a short axis
    b, b_squared = others @ grades, others @ grades**2
    return [n, n * own, b, n * own**2, b_squared, own * b]


def quadratic_kappa(sums: Floats) -> Floats:
    """Cohen's kappa with quadratic weights, of the columns of `kappa_columns`.

    1 - sum (a - b)^2 / expected, where the expected squares are those of the two margins taken
    independently; NaN where both gave the same single grade. It is the kappa of
    `agreement.coefficients`, written by moments: six numbers in place of a table.
    """
    n, a, b, aa, bb, ab = np.moveaxis(sums, -1, 0)
    observed = (aa + bb - 2.0 * ab) * n
    expected = (aa + bb) * n - 2.0 * a * b
    blank = np.full(n.shape, np.nan)
    defined = (n > 0.5) & (expected > 1e-9)
    return np.asarray(1.0 - np.divide(observed, expected, out=blank, where=defined))


def mean(sums: Floats) -> Floats:
    """Second column by first: a mean, or a share where the second counts; NaN for none."""
    n, total = sums[..., 0], sums[..., 1]
    return np.asarray(np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0.5))
