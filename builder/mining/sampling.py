"""How a sample is drawn, and with which chance each query gets into it; pure numpy.

Every query has one random number for a seed, which it keeps ("permanent random numbers",
L. Ohlsson, Coordination of samples using permanent random numbers, in: Business Survey Methods,
1995). So a larger sample of the same seed holds the smaller one, and the same log gives the same
sample on every machine.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

TRAFFIC = ("head", "torso", "tail")
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A sample.

    Attributes:
        places: Which queries are in it, the smallest random numbers of each stratum first.
        probabilities: The chance of each of these to be in it, above 0 and at most 1.
    """

    places: "Numbers"
    probabilities: "npt.NDArray[np.float64]"


def traffic_strata(
    searches: "Numbers", draws: "npt.NDArray[np.uint64]", head: float, torso: float
) -> "Numbers":
    """The place in `TRAFFIC` of each query: by its share of the searches, cumulated.

    The most frequent queries that together make the share `head` of all searches, the one that
    reaches it included, are the head; those that then make the share `torso`, the torso. Among
    queries that are searched for equally often chance decides, not the alphabet.

    Args:
        searches: Of each query.
        draws: Its random number.
        head: Above 0, below 1.
        torso: 0 or above; both together at most 1.
    """
    import numpy as np

    order = np.lexsort((draws, -searches))
    ordered = searches[order]
    before = np.cumsum(ordered) - ordered
    total = int(ordered.sum())
    borders = np.array([head, head + torso]) * total - _ROUNDING * total
    strata = np.empty(len(searches), dtype=np.int64)
    strata[order] = np.searchsorted(borders, before, side="right")
    return strata


def allocate_equally(sizes: Sequence[int], n: int) -> list[int]:
    """How many queries each stratum gives: as many as each other, or all it has.

    What small strata cannot give falls to the others; what is left over then goes to the first
    ones. With a greater n no stratum gives fewer.

    Args:
        sizes: Queries of each stratum.
        n: How many are wanted; all, where there are fewer.
    """
    n = min(n, sum(sizes))
    level, left, open_strata = 0, n, sum(size > 0 for size in sizes)
    for size in sorted(size for size in sizes if size):
        if (size - level) * open_strata > left:
            break
        left -= (size - level) * open_strata
        level, open_strata = size, open_strata - 1
    if open_strata:
        level += left // open_strata
        left %= open_strata
    counts = [min(size, level) for size in sizes]
    for stratum, size in enumerate(sizes):
        if left and size > level:
            counts[stratum] += 1
            left -= 1
    return counts


def allocate_proportionally(sizes: Sequence[int], n: int) -> list[int]:
    """How many queries each stratum gives: by how many it has, at least one where n allows.

    Seats are given one by one to the stratum with the greatest size / (2 seats + 1), by the method
    of Webster and Sainte-Lague; the first seat of each comes before all second ones, of the
    largest first. Rounding by remainders would not do: there a greater n can take a seat away (the
    "Alabama paradox"; M. Balinski and H. P. Young, Fair Representation, 1982).

    Args:
        sizes: Queries of each stratum.
        n: How many are wanted; all, where there are fewer.
    """
    counts = [0] * len(sizes)
    waiting = [(-float("inf"), -size, place) for place, size in enumerate(sizes) if size]
    heapq.heapify(waiting)
    for _ in range(min(n, sum(sizes))):
        _, _, place = heapq.heappop(waiting)
        counts[place] += 1
        size = sizes[place]
        if counts[place] < size:
            heapq.heappush(waiting, (-size / (2 * counts[place] + 1), -size, place))
    return counts


def draw_from_strata(
    draws: "npt.NDArray[np.uint64]", strata: "Numbers", counts: Sequence[int]
) -> Drawn:
    """So many queries of each stratum at random: those with its smallest numbers.

    The chance of a query is that of simple random sampling without replacement in its stratum,
    n_h / N_h (W. G. Cochran, Sampling Techniques, 1977, chapter 5).

    Args:
        draws: The random number of each query.
        strata: The place of its stratum.
        counts: How many each stratum gives, at most what it has.
    """
    import numpy as np

    order = np.lexsort((draws, strata))
    sizes = np.bincount(strata, minlength=len(counts))
    starts = np.cumsum(sizes) - sizes
    places = [order[start : start + n] for start, n in zip(starts, counts, strict=True)]
    chances = [np.full(n, n / max(size, 1)) for size, n in zip(sizes, counts, strict=True)]
    return Drawn(np.concatenate(places), np.concatenate(chances))


def draw_by_traffic(draws: "npt.NDArray[np.uint64]", searches: "Numbers", n: int) -> Drawn:
    """So many queries without replacement, by chances proportional to their searches.

    Priority sampling (N. Duffield, C. Lund and M. Thorup, Priority sampling for estimation of
    arbitrary subset sums, Journal of the ACM 54, 2007): u is uniform in (0, 1], the n greatest
    searches / u are the sample, t is the greatest of the others, and min(1, searches / t) the
    chance of a query, given what was drawn of all others. With it the Horvitz-Thompson total of
    anything is unbiased, exactly; and a greater n keeps the smaller sample, which the usual designs
    with chances fixed beforehand do not.

    Args:
        draws: The random number of each query.
        searches: Above 0.
        n: How many are wanted; all, with chance 1, where there are no more.
    """
    import numpy as np

    priorities = searches / uniform(draws)
    order = np.argsort(-priorities, kind="stable")
    places = order[:n]
    if n >= len(order):
        return Drawn(places, np.ones(len(places)))
    return Drawn(places, np.minimum(1.0, searches[places] / priorities[order[n]]))


def uniform(draws: "npt.NDArray[np.uint64]") -> "npt.NDArray[np.float64]":
    """The 64 bits of a draw as a number above 0 and at most 1."""
    import numpy as np

    return (draws.astype(np.float64) + 0.5) / 2.0**64
