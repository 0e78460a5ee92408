"""Click models as closed formulas over counts: rank CTR, COEC, SDBN; shrunk, with intervals.

Pure: the counts come from `online.evidence`. What is divided here was summed up as integers, so a
value does not depend on the order in which searches were read.

COEC, clicks over expected clicks, divides the clicks on a document by those that its ranks alone
make one expect: the sum, over its impressions, of the CTR of the rank where it stood. Zhang and
Jones (2007), Comparing click logs and editorial labels for training query rewriting. To take one
rank for all impressions of a document would charge one that was shown at ranks 1 and 8 for rank 1
throughout.

SDBN, the simplified dynamic Bayesian network, takes people to read from above and to go on until a
result satisfies them (gamma = 1). All documents down to the last click, the lowest one, were then
examined, and both of its chances are shares: attractiveness = clicked / examined, satisfaction =
last clicks / clicked. Chapelle and Zhang (2009), A dynamic Bayesian network click model for web
search ranking.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from estimates import Estimate

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import ArrayLike, NDArray

PARTS = 10**9
"""Expected clicks are counted in parts of 1e-9, so that they sum up as integers."""
SMALL_PARTS = 10**6
"""Squares over sizes, of which only priors are made, are rounded to parts of 1e-6."""
RANK_WEIGHT = 100
"""How many impressions the ranks of a band weigh against those of one rank."""
LOOKED_SHARE = 0.999
USUAL_DEPTH = 10
FEW_PAIRS = 30
CAREFUL_STRENGTH = 10.0
WEAKEST_SHARE, WEAKEST_RATIO = 1.0, 0.1
"""What the prior of a share weighs at least, and that of COEC."""
TAIL = 0.025


@dataclass(frozen=True, slots=True)
class RankCtr:
    """How often the document at one rank was clicked.

    Attributes:
        rank: Absolute, from 1.
        impressions: Searches that showed a document there.
        clicks: Searches among these in which that document was clicked.
        expected: Clicks an impression that COEC expects there, a multiple of 1 / PARTS.
    """

    rank: int
    impressions: int
    clicks: int
    expected: float

    @property
    def parts(self) -> int:
        """`expected` in parts of 1 / PARTS."""
        return round(self.expected * PARTS)


@dataclass(frozen=True, slots=True)
class Prior:
    """What is believed of a pair before its own clicks are looked at, as all pairs tell it.

    A value of `hits` out of `of` becomes (hits + strength * mean) / (of + strength).

    Attributes:
        mean: Of all pairs together; 1 for COEC.
        strength: How many impressions (COEC: expected clicks) the belief weighs.
        pairs: From how many pairs it was found.
        reason: Why `strength` is not what the spread of the pairs says; None where it is.
    """

    mean: float
    strength: float
    pairs: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Spread:
    """Sums over pairs of `hits` out of `of`, those with `of` > 0: what a prior is made of.

    Attributes:
        pairs: How many pairs.
        hits: Sum of the hits.
        of: Sum of what they are out of: impressions, or expected clicks.
        of_squared: Sum of its squares.
        hits_squared_by_of: Sum of hits^2 / of.
    """

    pairs: int
    hits: float
    of: float
    of_squared: float
    hits_squared_by_of: float


def smooth_rank_ctr(counts: Mapping[int, tuple[int, int]]) -> list[RankCtr]:
    """Rank -> (impressions, clicks) as rank CTR, by rank.

    A rank with few impressions has a CTR by chance: one click in two impressions at rank 87 would
    make a click there worth less than one at rank 1. So its clicks are taken together with those of
    its band, 1, 2-3, 4-7, 8-15, …, in which CTR changes little: (clicks + w * band) /
    (impressions + w), band the CTR of the band and w = 100 impressions.

    Raises:
        ValueError: A rank has more clicks than impressions, or is below 1.
    """
    bands: dict[int, list[int]] = {}
    for rank, (impressions, clicks) in counts.items():
        if rank < 1 or not 0 <= clicks <= impressions:
            raise ValueError(f"{clicks} clicks of {impressions} impressions at rank {rank}")
        band = bands.setdefault(rank.bit_length(), [0, 0])
        band[0] += impressions
        band[1] += clicks
    return [
        RankCtr(rank, *counts[rank], _smoothed(*counts[rank], *bands[rank.bit_length()]))
        for rank in sorted(counts)
    ]


def _smoothed(impressions: int, clicks: int, in_band: int, clicks_in_band: int) -> float:
    if not in_band:
        return 0.0
    # Of integers alone, so that it comes out the same everywhere.
    above = clicks * in_band + RANK_WEIGHT * clicks_in_band
    return above * PARTS // ((impressions + RANK_WEIGHT) * in_band) / PARTS


def looked_down_to(clicks: Mapping[int, int]) -> int:
    """Down to which place a search without click is taken as examined.

    With gamma = 1 somebody who clicked nothing was never satisfied, so examined all that was shown.
    But logged lists are often 100 deep, and nobody reads 100 results to leave: all these documents
    would be taken for unattractive. So searches without click count down to the place that people
    reach: the first at or above which 99.9 % of all clicks lie, or 10 where there are none. Of
    lists of ten that is all of them. To leave these searches out, as they have no last click, or to
    cut them where 95 % of the clicks lie, orders documents worse, often worse than raw CTR does
    (simulated, tests/online/position_bias.py).

    Args:
        clicks: Place in the list shown, from 1 -> clicks there.
    """
    total, reached = sum(clicks.values()), 0
    for place in sorted(clicks):
        reached += clicks[place]
        if reached >= LOOKED_SHARE * total > 0:
            return place
    return USUAL_DEPTH


def beta_prior(spread: Spread) -> Prior:
    """The Beta prior of a share that differs from pair to pair, by the moments of all pairs.

    Of hits out of n, which are beta-binomial with the variance p q / n (1 + g (n - 1)) of a share,
    S = sum of n (share - p)^2 has the mean p q (N - 1 + g (sum n - sum n^2 / sum n - N + 1)): so g
    is found, and the strength is 1 / g - 1. Kleinman (1973), Proportions with extraneous variance,
    with the weights n. The mean is (hits + 1/2) / (n + 1) of all: never 0 or 1, which no pair could
    leave.
    """
    mean = (spread.hits + 0.5) / (spread.of + 1)
    if spread.pairs < FEW_PAIRS:
        return Prior(mean, CAREFUL_STRENGTH, spread.pairs, "few_pairs")
    share = spread.hits / spread.of
    between = spread.of - spread.of_squared / spread.of - (spread.pairs - 1)
    chance = share * (1 - share) * (spread.pairs - 1)
    squares = spread.hits_squared_by_of - spread.hits**2 / spread.of
    if squares <= chance or between <= 0:
        return Prior(mean, max(spread.of, 1.0), spread.pairs, "no_spread_beyond_chance")
    correlation = (squares - chance) / (share * (1 - share) * between)
    return _prior(mean, 1 / correlation - 1, spread, WEAKEST_SHARE)


def gamma_prior(spread: Spread) -> Prior:
    """The Gamma prior of COEC, with mean 1, by the moments of all pairs.

    Clicks are taken as Poisson with mean c * expected, and c as Gamma with mean 1 and variance A.
    Then sum of expected (clicks / expected - 1)^2 has the mean N + A * sum of expected, and the
    strength is 1 / A. Clayton and Kaldor (1987), Empirical Bayes estimates of age-standardized
    relative risks; moments with the weights `expected` as Marshall (1991), Mapping disease and
    mortality rates using empirical Bayes estimators, whose mean is 1 here: so is the COEC of all
    pairs together. At a rank that is clicked more often than not, Poisson overstates chance: the
    intervals are then too wide, never too narrow.
    """
    if spread.pairs < FEW_PAIRS or spread.of <= 0:
        return Prior(1.0, CAREFUL_STRENGTH, spread.pairs, "few_pairs")
    squares = spread.hits_squared_by_of - 2 * spread.hits + spread.of
    variance = (squares - spread.pairs) / spread.of
    if variance <= 0:
        return Prior(1.0, max(spread.of, 1.0), spread.pairs, "no_spread_beyond_chance")
    return _prior(1.0, 1 / variance, spread, WEAKEST_RATIO)


def _prior(mean: float, strength: float, spread: Spread, least: float) -> Prior:
    """Within bounds: no belief weighs more than all pairs, none vanishes."""
    most = max(spread.of, 1.0)
    if strength > most:
        return Prior(mean, most, spread.pairs, "no_spread_beyond_chance")
    if strength < least:
        return Prior(mean, least, spread.pairs, "spread_too_wide")
    return Prior(mean, strength, spread.pairs)


def share(hits: int, of: int, prior: Prior) -> Estimate:
    """A share of one pair, shrunk, with its 95 % credible interval; n is `of`.

    The posterior is Beta(hits + s m, of - hits + s (1 - m)) with the prior's strength s and mean m;
    the value is its mean, the interval lies between its quantiles .025 and .975.

    Raises:
        ValueError: `hits` is not between 0 and `of`.
    """
    if not 0 <= hits <= of:
        raise ValueError(f"{hits} hits out of {of}")
    from scipy.special import betaincinv

    a, b = hits + prior.strength * prior.mean, of - hits + prior.strength * (1 - prior.mean)
    low, high = (float(betaincinv(a, b, tail)) for tail in (TAIL, 1 - TAIL))
    return Estimate(a / (a + b), low, high, of)


def ratio(clicks: int, expected: float, prior: Prior, n: int) -> Estimate:
    """COEC of one pair, shrunk, with its 95 % credible interval.

    The posterior is Gamma(clicks + s m, rate expected + s) with the prior's strength s and mean m;
    the value is its mean, the interval lies between its quantiles .025 and .975.

    Args:
        clicks: On impressions whose clicks were expected.
        expected: Expected clicks.
        prior: Of `gamma_prior`.
        n: Impressions.
    """
    from scipy.special import gammaincinv

    shape, rate = clicks + prior.strength * prior.mean, expected + prior.strength
    low, high = (float(gammaincinv(shape, tail)) / rate for tail in (TAIL, 1 - TAIL))
    return Estimate(shape / rate, low, high, n)


def shrunk(hits: "ArrayLike", of: "ArrayLike", prior: Prior) -> "NDArray[float64]":
    """The values of `share` or `ratio` of many pairs: (hits + s m) / (of + s)."""
    import numpy as np

    above = np.asarray(hits, dtype=float) + prior.strength * prior.mean
    return above / (np.asarray(of, dtype=float) + prior.strength)


def share_above(
    threshold: float, hits: "ArrayLike", of: "ArrayLike", prior: Prior
) -> "NDArray[float64]":
    """How likely the shares of many pairs are above a threshold, by the posterior of `share`."""
    import numpy as np
    from scipy.special import betaincc

    a = np.asarray(hits, dtype=float) + prior.strength * prior.mean
    b = np.asarray(of, dtype=float) + prior.strength - a
    return np.asarray(betaincc(a, b, min(max(threshold, 0.0), 1.0)), dtype=float)


def ratio_above(
    threshold: float, clicks: "ArrayLike", expected: "ArrayLike", prior: Prior
) -> "NDArray[float64]":
    """How likely the COEC of many pairs is above a threshold, by the posterior of `ratio`."""
    import numpy as np
    from scipy.special import gammaincc

    shape = np.asarray(clicks, dtype=float) + prior.strength * prior.mean
    rate = np.asarray(expected, dtype=float) + prior.strength
    return np.asarray(gammaincc(shape, max(threshold, 0.0) * rate), dtype=float)
