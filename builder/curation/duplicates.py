"""Finds queries that may mean the same: equal texts, and texts that share most of their words."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from builder.curation.lists import ListedQuery, listed_by_key
from builder.store.folding import fold
from builder.store.query_lists import texts_to_compare
from builder.workspace import Workspace
from evals.bm25 import words

OVERLAP = 0.75
"""Words that both have, of all words that either has: 3 of 4, or 1 word of 4 replaced by none."""

MOST = 50

# Scripts written without spaces: Thai to Myanmar, kana, Han. Their runs are cut into pairs of
# characters, for a run as a whole is seldom met twice.
_SPACELESS = re.compile("[\u0e00-\u0fff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")

_Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two queries that may mean the same.

    Attributes:
        keep: The one with more grades; of equal ones, the older.
        merged: The other one.
        overlap: Words that both have, of all that either has, 0 to 1.
        same_text: Whether only case, composition or white space differ, if anything.
    """

    keep: ListedQuery
    merged: ListedQuery
    overlap: float
    same_text: bool


@dataclass(frozen=True, slots=True)
class Duplicates:
    """What may be merged.

    Attributes:
        candidates: The same texts first, then by overlap; at most as many as asked for.
        total: How many there are.
    """

    candidates: tuple[Candidate, ...]
    total: int


def duplicate_candidates(
    workspace: Workspace, *, overlap: float = OVERLAP, limit: int = MOST
) -> Duplicates:
    """Active queries that may mean the same, each text against all others.

    Args:
        workspace: Where they lie.
        overlap: The least share of words that both have, of all that either has; above 0, at
            most 1.
        limit: How many candidates at most.
    """
    with workspace.store.read() as connection:
        groups: defaultdict[str, list[int]] = defaultdict(list)
        for query_key, text in texts_to_compare(connection):
            groups[fold(text)].append(query_key)
        same = [(keys[0], key) for keys in groups.values() for key in keys[1:]]
        near = similar({keys[0]: terms_of(text) for text, keys in groups.items()}, overlap)
        found = [*((pair, 1.0, True) for pair in same), *((*one, False) for one in near)]
        shown = found[:limit]
        listed = listed_by_key(connection, {key for pair, _, _ in shown for key in pair})
    candidates = (_candidate(listed, *one) for one in shown)
    return Duplicates(tuple(candidates), len(found))


def terms_of(text: str) -> frozenset[str]:
    """The words of a text, and of scripts without spaces its pairs of characters."""
    return frozenset(term for word in words(text) for term in _cut(word))


def similar(terms: Mapping[int, frozenset[str]], overlap: float) -> list[tuple[_Pair, float]]:
    """All pairs of keys whose terms overlap so much, the most first.

    Two sets that share that much share one of their rarest terms: only queries that meet in one
    of these are compared.
    """
    counted = Counter(term for found in terms.values() for term in found)
    met: defaultdict[str, list[int]] = defaultdict(list)
    near: dict[_Pair, float] = {}
    for key, found in sorted(terms.items(), key=lambda entry: len(entry[1])):
        for term in _rarest(found, counted, overlap):
            for other in met[term]:
                share = _overlap(found, terms[other])
                if share >= overlap:
                    near[min(key, other), max(key, other)] = share
            met[term].append(key)
    return sorted(near.items(), key=lambda entry: (-entry[1], entry[0]))


def _rarest(found: Iterable[str], counted: Mapping[str, int], overlap: float) -> Sequence[str]:
    """The rarest terms, one of which any set that overlaps so much has among its own."""
    ordered = sorted(found, key=lambda term: (counted[term], term))
    # A little less: .7 * 10 may come out above 7.
    return ordered[: len(ordered) - ceil(overlap * len(ordered) - 1e-9) + 1]


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def _cut(word: str) -> Iterator[str]:
    if len(word) > 2 and _SPACELESS.search(word):
        yield from (word[at : at + 2] for at in range(len(word) - 1))
    else:
        yield word


def _candidate(
    listed: Mapping[int, ListedQuery],
    pair: _Pair,
    overlap: float,
    same_text: bool,  # noqa: FBT001 - one of the parts of what was found
) -> Candidate:
    first, second = (listed[key] for key in pair)
    if second.counts.grades > first.counts.grades:
        first, second = second, first
    return Candidate(first, second, overlap, same_text)
