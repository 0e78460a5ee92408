"""Which synthetic queries a validation draws: strata, how many of each, and by chance which; pure.

Each query keeps one random number for a seed, as in `builder.mining.sampling`: a greater share of
the same seed holds the smaller one, where both are parted alike.
"""

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from builder.mining.sampling import allocate_proportionally, draw_from_strata
from builder.store.validations import SourcePair, Unit

UNKNOWN: Final = "other"
"""The stratum of queries of which nobody knows what was asked for, as of imported ones."""
_FEWEST_OF_STRATUM: Final = 2


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is drawn, and what from.

    Attributes:
        units: All queries that can be drawn, ordered by query_id.
        by: What parts them: "type and language", "type" or "nothing".
    """

    units: tuple[Unit, ...]
    by: str

    @property
    def drawn(self) -> list[SourcePair]:
        """Those that are drawn."""
        return [unit.source for unit in self.units if unit.drawn]

    def strata(self) -> list[dict[str, str | int]]:
        """[{"stratum", "queries", "drawn"}], in order of their names."""
        names = sorted({unit.stratum for unit in self.units})
        of = {name: [unit for unit in self.units if unit.stratum == name] for name in names}
        return [
            {"stratum": name, "queries": len(of[name]), "drawn": sum(one.drawn for one in of[name])}
            for name in names
        ]


def draw(sources: Sequence[SourcePair], share: float, seed: int) -> Drawing:
    """Draw a share of the queries, proportionally from each stratum, without replacement.

    They are parted by type, and by language where there are several; by less where that would
    draw less than two of a stratum on the average, for a stratum of which one is drawn says nothing
    of how different its queries are. Numbers are shared out as `allocate_proportionally` does,
    each stratum at least one.

    Args:
        sources: The queries, at least one.
        share: Above 0 and at most 1; so many are drawn, rounded to the nearest, at least one.
        seed: Any number.
    """
    import numpy as np

    n = max(1, math.floor(share * len(sources) + 0.5))
    by, strata = _parted(sources, n)
    names = sorted(set(strata))
    codes = np.array([names.index(name) for name in strata], dtype=np.int64)
    sizes = np.bincount(codes, minlength=len(names)).tolist()
    counts = allocate_proportionally(sizes, n)
    numbers = np.array([_number(seed, one.query_id) for one in sources], dtype=np.uint64)
    places = set(draw_from_strata(numbers, codes, counts).places.tolist())
    chances = [count / size for count, size in zip(counts, sizes, strict=True)]
    return Drawing(
        tuple(
            Unit(source, names[code], place in places, chances[code])
            for place, (source, code) in enumerate(zip(sources, codes.tolist(), strict=True))
        ),
        by,
    )


def _parted(sources: Sequence[SourcePair], n: int) -> tuple[str, list[str]]:
    """What parts the queries, and the stratum of each."""
    several = len({source.language for source in sources}) > 1
    ways: list[tuple[str, Callable[[SourcePair], str]]] = [("type", _type)]
    if several:
        ways.insert(0, ("type and language", _type_and_language))
    for by, stratum_of in ways:
        strata = [stratum_of(source) for source in sources]
        if _FEWEST_OF_STRATUM * len(set(strata)) <= n or len(set(strata)) == 1:
            return by, strata
    return "nothing", ["all"] * len(sources)


def _type(source: SourcePair) -> str:
    return source.prompt or UNKNOWN


def _type_and_language(source: SourcePair) -> str:
    return f"{_type(source)} ({source.language})" if source.language else _type(source)


def _number(seed: int, query_id: str) -> int:
    """The permanent random number of a query, 64 bits."""
    return int.from_bytes(hashlib.sha256(f"{seed} {query_id}".encode()).digest()[:8], "big")
