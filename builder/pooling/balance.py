"""In which order the documents of a query join the pool, and how many of them may be hopeless.

Rank by rank, and at equal ranks what several sources name, then what users clicked, comes first.
Sources that expect nothing relevant, chance and skipped results, get at most a share of a query's
new pairs: raters who see only zeros stop reading. The share holds for every beginning of the
sequence as well, so that a budget may cut it anywhere.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from builder.pooling.contributors import Contributor

LEAST = 5
"""A query with fewer pairs from sources that expect something is filled up to so many."""


class Naming(NamedTuple):
    """That a source names a document, at which rank; None where it ranks nothing."""

    source: str
    rank: int | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document for a query.

    Attributes:
        doc_id: The document.
        named: Who names it, the one by which it comes first.
        is_hopeful: Whether a source names it that expects something relevant.
    """

    doc_id: str
    named: tuple[Naming, ...]
    is_hopeful: bool


class Balanced(NamedTuple):
    """What joins, in order, and what is left out."""

    kept: list[Candidate]
    left_out: list[Candidate]


def interleaved(contributors: Sequence[Contributor], query_id: str) -> list[Candidate]:
    """Every document that any contributor names for the query, in the order in which they join.

    By the best place that a contributor gives it; of those the one that more contributors name,
    then by the contributors' order, then by doc_id.
    """
    places: dict[str, list[tuple[int, int]]] = {}
    for number, contributor in enumerate(contributors):
        for place, doc_id in enumerate(contributor.found.get(query_id, ()), start=1):
            places.setdefault(doc_id, []).append((place, number))
    for at in places.values():
        # A document is what its most hopeful source says of it.
        at.sort(key=lambda one: (not contributors[one[1]].is_hopeful, one))
    order = sorted(places, key=lambda doc_id: _key(places[doc_id], doc_id))
    return [_candidate(doc_id, places[doc_id], contributors) for doc_id in order]


def balanced(candidates: Iterable[Candidate], share: float, least: int = LEAST) -> Balanced:
    """The candidates with at most this share of hopeless ones, which wait until it allows them.

    Args:
        candidates: New to the pool, in their order.
        share: The greatest share of hopeless ones, 0 to 1, in every beginning of what joins.
        least: Where fewer hopeful ones are there, hopeless ones join until there are so many.
    """
    kept: list[Candidate] = []
    waiting: list[Candidate] = []
    hopeless = 0
    for candidate in candidates:
        (kept if candidate.is_hopeful else waiting).append(candidate)
        while waiting and _allows(hopeless + 1, len(kept) + 1, share):
            kept.append(waiting.pop(0))
            hopeless += 1
    fill = max(0, least - len(kept)) if share > 0 else 0
    return Balanced(kept + waiting[:fill], waiting[fill:])


def _allows(hopeless: int, pairs: int, share: float) -> bool:
    return hopeless <= share * pairs + 1e-9  # .4 of 5 are 2, whatever binary fractions say


def _key(at: Sequence[tuple[int, int]], doc_id: str) -> tuple[int, int, int, str]:
    place, number = at[0]
    return place, -len(at), number, doc_id


def _candidate(
    doc_id: str, at: Sequence[tuple[int, int]], contributors: Sequence[Contributor]
) -> Candidate:
    named = tuple(
        Naming(contributors[number].source, place if contributors[number].is_ranked else None)
        for place, number in at
    )
    return Candidate(doc_id, named, contributors[at[0][1]].is_hopeful)
