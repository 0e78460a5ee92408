"""What several filters want to know of a passage; told once for all queries that came of it."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from builder.synthesis.filters.tokens import Token, tokens, units


class Indexed(NamedTuple):
    """The words of a passage.

    Attributes:
        tokens: In their order.
        places: Token -> where it stands.
        units: What a query can hold of it, of `tokens.units`, and single characters.
    """

    tokens: Sequence[Token]
    places: Mapping[str, Sequence[int]]
    units: AbstractSet[str]


@lru_cache(maxsize=64)
def indexed(passage: str) -> Indexed:
    """The words of a passage; candidates of one passage come one after the other."""
    counted = tokens(passage)
    places: dict[str, list[int]] = {}
    for place, token in enumerate(counted):
        places.setdefault(token.text, []).append(place)
    return Indexed(counted, places, units(counted) | places.keys())
