"""The mean of a finite set of which some units were measured well, and all of them cheaply.

The cheap values are biased, by an unknown amount. A random sample of units tells by how much, and
the mean of all cheap values is put right by it: the difference estimator (W. G. Cochran, Sampling
Techniques, 3rd edition, 1977, section 7.2 with slope 1; C.-E. Sarndal, B. Swensson and J. Wretman,
Model Assisted Survey Sampling, 1992, section 6.3). Without the finite set it is prediction-powered
inference at lambda 1. It is unbiased whatever the cheap values are worth; only its width is not.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from estimates.intervals import CONFIDENCE
from estimates.record import Estimate

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]
    Codes = npt.NDArray[np.int64]

FEWEST: Final = 2
"""Fewer drawn units of a stratum say nothing of how different its units are."""
_ROUNDING: Final = 1e-20


def difference_estimate(
    synthetic: Sequence[float],
    human: Sequence[float | None],
    strata: Sequence[Hashable] | None = None,
    *,
    low: float = -math.inf,
    high: float = math.inf,
) -> Estimate:
    """The mean of the values that count over all N units, with its 95 % interval.

    mean(synthetic) + sum W_h d_h +- t sqrt(sum W_h^2 (1 - n_h / N_h) s_h^2 / n_h), where W_h is
    N_h / N, d_h and s_h^2 are mean and variance (n_h - 1) of human - synthetic over the n_h drawn
    units of stratum h: Cochran (1977), equations 5.7 and 7.4. The degrees of freedom of Student's t
    are Satterthwaite's, Cochran's equation 5.16. In its stratum each unit had the same chance.

    - Strata with less than two drawn units are estimated together (`collapsed_strata`); those of
      which all are drawn need no variance and stay.
    - A stratum whose differences are all equal takes the pooled variance of all strata: it would
      add nothing else, though its other units may differ.
    - Where all strata are so there is no interval, and the reason says it: none is better than one
      of width zero. Only where all units are drawn is the mean certain.

    Args:
        synthetic: The cheap value of each of the N units, in the unit of the human ones.
        human: The value that counts, of each drawn unit; None (or NaN) of the others.
        strata: Of each unit; None: they are one, as in simple random sampling.
        low: The smallest value that a unit can have; value and interval are clipped to it.
        high: The greatest.

    Returns:
        The estimate; n is the number of drawn units. Without a value: no_values, nothing_drawn.
        Without an interval: one_value_has_no_interval, all_differences_equal, or outside_range,
        where all of it lies beyond low or high.

    Raises:
        ValueError: The lengths differ, or a value is infinite, or a synthetic one NaN.
    """
    import numpy as np

    cheap, true = np.asarray(synthetic, dtype=float), np.asarray(human, dtype=float)
    codes = _codes(strata, len(cheap))
    if not len(cheap) == len(true) == len(codes):
        raise ValueError(
            f"{len(cheap)} synthetic and {len(true)} human values, {len(codes)} strata"
        )
    if not np.isfinite(cheap).all() or np.isinf(true).any():
        raise ValueError("values must be finite, but for NaN where nothing was drawn")
    drawn = ~np.isnan(true)
    n = int(drawn.sum())
    if n == 0:
        return Estimate.undefined("nothing_drawn" if len(cheap) else "no_values")
    parts = _parts_of(true[drawn] - cheap[drawn], codes, drawn)
    mean, half = float(cheap.mean()) + parts.mean, parts.half_width()
    value = _clipped(mean, low, high)
    if half is None:
        return Estimate(value, n=n, reason=parts.reason)
    lowest, highest = (_clipped(end, low, high) for end in (mean - half, mean + half))
    if half > 0 and lowest == highest:
        return Estimate(value, n=n, reason="outside_range")
    return Estimate(value, lowest, highest, n)


def collapsed_strata(strata: Sequence[Hashable], drawn: Sequence[bool]) -> list[Hashable]:
    """The strata that `difference_estimate` takes as one, in the order in which they appear.

    Those with less than two drawn units, of which not all units are drawn; together with the
    stratum of the fewest other drawn units where they alone do not have two (Cochran 1977, section
    5A.12). The variance between them counts then, which makes the interval rather too wide.

    Args:
        strata: Of each unit.
        drawn: Whether it is drawn (and its value known).
    """
    import numpy as np

    names = list(dict.fromkeys(strata))
    together = _too_small(_codes(strata, len(strata)), np.asarray(drawn, dtype=bool))
    return [name for name, is_part in zip(names, together, strict=True) if is_part]


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """What the strata say, those that are estimated together as one.

    Attributes:
        weights: N_h / N.
        rest: 1 - n_h / N_h: what of each was not drawn.
        n: Drawn units of each.
        means: Of the differences.
        variances: Of the differences, by n - 1; 0 where n is 1.
    """

    weights: "Numbers"
    rest: "Numbers"
    n: "Numbers"
    means: "Numbers"
    variances: "Numbers"

    @property
    def mean(self) -> float:
        """The mean difference over all units."""
        return float(self.weights @ self.means)

    @property
    def reason(self) -> str:
        """Why there is no interval."""
        return "one_value_has_no_interval" if self.n.sum() == 1 else "all_differences_equal"

    def half_width(self) -> float | None:
        """Half of the interval's width; None where there is none."""
        import numpy as np
        from scipy.special import stdtrit

        open_parts = self.rest > 0
        if not open_parts.any():
            return 0.0
        freedom = np.maximum(self.n - 1, 0)
        pooled = float(freedom @ self.variances) / max(float(freedom.sum()), 1.0)
        spread = np.where(self.variances > 0, self.variances, pooled)
        shares = (self.weights**2 * self.rest * spread / self.n)[open_parts]
        variance = float(shares.sum())
        if variance == 0:
            return None
        df = variance**2 / float((shares**2 / np.maximum(freedom[open_parts], 1)).sum())
        return float(stdtrit(df, (1 + CONFIDENCE) / 2)) * math.sqrt(variance)


def _parts_of(differences: "Numbers", codes: "Codes", drawn: "npt.NDArray[np.bool_]") -> _Parts:
    import numpy as np

    together = _too_small(codes, drawn)
    if together.any():
        codes = np.where(together[codes], len(together), codes)
        codes = np.unique(codes, return_inverse=True)[1]
    sizes, mine = np.bincount(codes), codes[drawn]
    n = np.bincount(mine, minlength=len(sizes)).astype(float)
    means = np.bincount(mine, differences, len(sizes)) / n
    off = (differences - means[mine]) ** 2
    off[off <= _ROUNDING * (1 + differences**2)] = 0.0
    variances = np.bincount(mine, off, len(sizes)) / np.maximum(n - 1, 1)
    return _Parts(sizes / len(codes), 1 - n / sizes, n, means, variances)


def _too_small(codes: "Codes", drawn: "npt.NDArray[np.bool_]") -> "npt.NDArray[np.bool_]":
    """Of each stratum whether it is estimated together with others."""
    import numpy as np

    sizes = np.bincount(codes)
    n = np.bincount(codes[drawn], minlength=len(sizes))
    small = (n < FEWEST) & (n < sizes)
    if small.any() and n[small].sum() < FEWEST and not small.all():
        others = np.where(small, np.iinfo(n.dtype).max, n)
        small[int(others.argmin())] = True
    return small if small.sum() > 1 else np.zeros_like(small)


def _codes(strata: Sequence[Hashable] | None, n: int) -> "Codes":
    """Numbers for the strata, from 0, in the order in which they appear."""
    import numpy as np

    if strata is None:
        return np.zeros(n, dtype=np.int64)
    places: dict[Hashable, int] = {}
    return np.array([places.setdefault(name, len(places)) for name in strata], dtype=np.int64)


def _clipped(number: float, low: float, high: float) -> float:
    return min(max(number, low), high)
