"""Which pairs the raters graded differently, and which of these wait for a decision."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from builder.judging.agreement.units import counted, without_excluded
from builder.store.ratings import Ratings

WIDE = 2
"""A spread of so many grades is a dispute whatever the grades."""
RELEVANT = 2
"""The lowest grade that says yes: marginally relevant (1) against relevant (2) is a dispute."""


@dataclass(frozen=True, slots=True)
class Disagreements:
    """Pairs whose grades differ, as columns of shape (pairs,).

    Attributes:
        pair: The pair's number (the store's pair_id where the grades come from the store).
        low: Its lowest grade.
        high: Its highest grade.
        n: How many raters graded it.
    """

    pair: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    n: NDArray[np.int64]

    def __len__(self) -> int:
        """How many pairs."""
        return len(self.pair)

    @property
    def spread(self) -> NDArray[np.int64]:
        """Highest less lowest grade, 1 to 3."""
        return self.high - self.low

    @property
    def crosses(self) -> NDArray[np.bool_]:
        """Whether some raters said not relevant (0 or 1) and others relevant (2 or 3)."""
        return (self.low < RELEVANT) & (self.high >= RELEVANT)

    def take(self, chosen: NDArray[np.int64] | NDArray[np.bool_]) -> "Disagreements":
        """The chosen pairs, by position or by yes and no."""
        return Disagreements(self.pair[chosen], self.low[chosen], self.high[chosen], self.n[chosen])


def disagreements(ratings: Ratings) -> Disagreements:
    """Pairs whose grades differ, the widest spread first.

    At equal spread come first the pairs on which some said relevant and others not, then the order
    is that of the pair's number. Grades of excluded raters are left out.
    """
    units = counted(without_excluded(ratings))
    low, high = _extremes(units.counts)
    found = Disagreements(units.pair, low, high, units.n_raters).take(low < high)
    return found.take(np.lexsort((found.pair, ~found.crosses, -found.spread)))


def disputed(ratings: Ratings) -> Disagreements:
    """The disagreements that an analyst should decide, in the same order.

    These are spreads of two or more, and 0 or 1 against 2 or 3: a grade apart within "relevant" or
    within "not relevant" hardly moves a measure, and the rule of aggregation settles it.
    """
    found = disagreements(ratings)
    return found.take(_needs_decision(found.low, found.high))


def is_disputed(counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether an analyst should decide each pair, of counts of shape (pairs, grades)."""
    return _needs_decision(*_extremes(counts))


def _needs_decision(low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.asarray((high - low >= WIDE) | ((low < RELEVANT) & (high >= RELEVANT)))


def _extremes(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lowest and the highest grade of each pair."""
    is_given = counts > 0
    return is_given.argmax(axis=1), counts.shape[1] - 1 - is_given[:, ::-1].argmax(axis=1)
