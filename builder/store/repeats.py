"""Grades that one rater gave to one pair twice, independently: do raters agree with themselves?"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


def _none() -> NDArray[np.int64]:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Repeats:
    """One row for every two successive grades of a rater on a pair; a correction is none of them.

    Attributes:
        rater: Position of the rater in `raters`, shape (n,).
        first: The earlier grade, 0 to 3, shape (n,).
        second: The later one, shape (n,).
        raters: The raters' names, each once, in alphabetical order; not those of the ratings, for
            there may be fewer.
    """

    rater: NDArray[np.int64] = field(default_factory=_none)
    first: NDArray[np.int64] = field(default_factory=_none)
    second: NDArray[np.int64] = field(default_factory=_none)
    raters: Sequence[str] = ()

    def __len__(self) -> int:
        """How many."""
        return len(self.rater)
