"""Finds texts that say the same as one of some wanted texts: equal ones, and near copies.

Near is by word 3-grams: at least four fifths of those that either text has, both have (Jaccard; on
w-shingling see Broder 1997, On the resemblance and containment of documents). What is found is
verified exactly; nothing is estimated and nothing above the threshold is missed. Texts of fewer
than three words have no 3-gram and would match each other all: they are compared as a whole. A text
without any word matches nothing.

Pure: texts come in, names go out. Memory grows with the wanted texts only; the others pass by.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from math import ceil
from typing import NamedTuple

LEAST = 0.8
"""Shared 3-grams, of all that either text has: from here on one is a near copy of the other."""

N = 3

_NOISE = 1e-9
"""So much less is enough: .7 * 10 may come out above 7."""

_ASCII_WORD = re.compile(r"[a-z0-9_]+")
# Scripts written without blanks: Thai to Myanmar, kana, Han; each character is a word of its own.
_SPACELESS = "\u0e00-\u0fff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_SPACELESS}]|[^\W{_SPACELESS}]+")

Gram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Copy:
    """Wanted texts that a text says again.

    Attributes:
        names: Those of the wanted texts; they are all equal.
        similarity: Shared 3-grams of all that either has, in [0, 1]; 1 for equal texts.
        equal: Whether nothing differs but case, composition and white space.
    """

    names: tuple[str, ...]
    similarity: float
    equal: bool


def normalised(text: str) -> str:
    """The text in NFC, lower case, one blank for each white space: equal for equal texts."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return " ".join(text.lower().split())


def grams(text: str) -> set[Gram]:
    """The word 3-grams of a normalised text; none where it has fewer words."""
    words = _words(text)
    return set(zip(*(words[at:] for at in range(N)), strict=False))


def has_words(text: str) -> bool:
    """Whether a text says anything: a letter, digit or mark of a word, in any script."""
    return _WORD.search(text) is not None


class CopyFinder:
    """Knows the wanted texts, and says of any other which of them it is a copy of.

    Sets of a and b members have a Jaccard similarity of `least` or more just where they share
    least / (1 + least) * (a + b) of them, rounded up to s; then one of any a - s + 1 members of the
    first is in the second. Of each wanted text the 3-grams that fewest others have come first, and
    only texts that have one of these are compared: so what all texts of a corpus of forms have in
    common costs nothing.
    """

    def __init__(self, wanted: Iterable[tuple[str, str]], least: float = LEAST) -> None:
        """Take in what is wanted.

        Args:
            wanted: (name, text); names are told apart by who asks.
            least: From which similarity on a text is a near copy, above 0 and at most 1.

        Raises:
            ValueError: `least` is out of its range.
        """
        if not 0 < least <= 1:
            raise ValueError(f"least is {least}, must be above 0 and at most 1")
        self._least = least
        self._names: defaultdict[str, list[str]] = defaultdict(list)
        for name, text in wanted:
            said = normalised(text)
            if said:
                self._names[said].append(name)
        self._texts = list(self._names)
        self._sizes: list[int] = []
        self._by_key = self._index()

    def copies(self, text: str, most: int | None = None) -> list[Copy]:
        """The wanted texts that this one says again, the most similar first; itself among them.

        Args:
            text: Any text.
            most: At most so many near ones, any of them: where all texts are much alike, each is a
                copy of each. None: all.
        """
        words = _words(text.lower() if text.isascii() else normalised(text))
        keys = _keys(words)
        met = keys & self._by_key.keys()
        if not met and len(words) >= N:
            return []  # an equal text has the same 3-grams
        said = normalised(text)
        found = [Copy(tuple(self._names[said]), 1.0, equal=True)] if said in self._names else []
        near = islice(self._near(said, len(keys), met), most)
        return found + sorted(near, key=lambda copy: (-copy.similarity, copy.names))

    def _near(self, said: str, size: int, met: Iterable[int]) -> Iterator[Copy]:
        own: set[Gram] | None = None
        for place in self._candidates(size, met):
            if self._texts[place] == said:
                continue
            own = grams(said) if own is None else own
            similarity = _jaccard(own, _grams_again(self._texts[place]))
            if similarity >= self._least:
                yield Copy(tuple(self._names[self._texts[place]]), similarity, equal=False)

    def _candidates(self, size: int, met: Iterable[int]) -> Iterator[int]:
        """Each once, those with the rarest 3-grams first."""
        lists = [
            alike.places
            for key in met
            for alike in self._by_key[key]
            if alike.position < _enough(alike.size, size, self._least)
        ]
        lists.sort(key=len)
        seen: set[int] = set()
        for place in chain.from_iterable(lists):
            if place not in seen:
                seen.add(place)
                yield place

    def _index(self) -> dict[int, list["_Alike"]]:
        """Key of a 3-gram -> the wanted texts that are to be compared where a text has it."""
        import numpy as np

        of_texts = [np.fromiter(_keys(_words(text)), np.int64) for text in self._texts]
        _, again, times = np.unique(
            np.concatenate([np.empty(0, np.int64), *of_texts]),
            return_inverse=True,
            return_counts=True,
        )
        found: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
        start = 0
        for place, keys in enumerate(of_texts):
            size = len(keys)
            counts = times[again[start : start + size]]
            start += size
            # No text wants more of them than one of the smallest size that can be a near copy.
            most = _enough(size, ceil(self._least * size - _NOISE), self._least)
            for position, key in enumerate(keys[np.lexsort((keys, counts))[:most]].tolist()):
                found[key, size, position].append(place)
        by_key: defaultdict[int, list[_Alike]] = defaultdict(list)
        for (key, size, position), places in found.items():
            by_key[key].append(_Alike(size, position, places))
        return dict(by_key)


class _Alike(NamedTuple):
    """Wanted texts of one size that have a 3-gram at one position of their order.

    Attributes:
        size: How many 3-grams each has.
        position: So many of its own come before this one.
        places: The texts.
    """

    size: int
    position: int
    places: list[int]


def _enough(size: int, other: int, least: float) -> int:
    """How many of a text's 3-grams suffice: a near copy of `other` 3-grams has one of them.

    0 or less where no text of so many 3-grams can be a near copy.
    """
    shared = ceil(least / (1 + least) * (size + other) - _NOISE)
    return size - shared + 1 if shared <= other else 0


def _words(text: str) -> Sequence[str]:
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


def _keys(words: Sequence[str]) -> set[int]:
    """The 3-grams as numbers: candidates may meet by chance, but what is found is verified."""
    return set(map(hash, zip(*(words[at:] for at in range(N)), strict=False)))


def _jaccard(one: set[Gram], other: set[Gram]) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


@lru_cache(maxsize=256)
def _grams_again(text: str) -> set[Gram]:
    return grams(text)
