"""Queries that say the same as one that is there: by one form of both, or by their 3-grams.

The form (`builder.mining.near_duplicates`) knows neither order nor endings of words; 3-grams of
characters know typing errors and a word more or less. Other numbers are other queries: "iphone 13"
and "iphone 14" share nearly all 3-grams.

Two sets of grams have a Jaccard similarity of t or more only where they share at least t of the
grams of each; so, with all grams in one order, the first n - ceil(t n) + 1 of each have one in
common (prefix filtering: Chaudhuri, Ganti and Kaushik 2006, A primitive operator for similarity
joins). The rarest come first, so few texts are compared, and none above the threshold is missed.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from math import ceil
from typing import Final, Generic, NamedTuple, TypeVar

from builder.mining.near_duplicates import near_form
from builder.synthesis.filters.grams import grams, jaccard

LEAST: Final = 0.8
"""Shared character 3-grams, of all that either has: from here on two queries are near."""

_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
_NOISE: Final = 1e-9

T = TypeVar("T")


class Near(NamedTuple, Generic[T]):
    """A query that is there, and how near it is.

    Attributes:
        name: What it was added as.
        text: What it says.
        similarity: Shared 3-grams of all that either has, 0 to 1; 1 where their forms are equal.
    """

    name: T
    text: str
    similarity: float


class NearDuplicates(Generic[T]):
    """Knows queries, and finds those that another one says again.

    Args:
        texts: All texts that will be added or looked for; by these a 3-gram is known as rare. One
            that is not among them is found as well, only slower.
        least: From which similarity on queries are near, above 0 and at most 1.
    """

    def __init__(self, texts: Iterable[str] = (), least: float = LEAST) -> None:
        self._least = least
        self._times = Counter(gram for text in texts for gram in grams(text))
        self._known: list[tuple[T, str, frozenset[str], frozenset[str]]] = []
        self._by_form: dict[tuple[str, str], int] = {}
        self._by_gram: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, name: T, text: str, languages: Iterable[str]) -> None:
        """Take in a query.

        Args:
            name: Tells it apart.
            text: What it says.
            languages: ISO 639-1 codes of what is looked for later: endings are cut by them.
        """
        place, own = len(self._known), grams(text)
        self._known.append((name, text, own, _numbers(text)))
        for language in languages:
            self._by_form.setdefault((language, near_form(text, language)), place)
        for gram in self._rarest(own):
            self._by_gram[gram].append(place)

    def nearest(self, text: str, language: str) -> Near[T] | None:
        """The nearest query that is there, of equal ones the first; None if none is near."""
        place = self._by_form.get((language, near_form(text, language)))
        if place is not None:
            return Near(self._known[place][0], self._known[place][1], 1.0)
        own, numbers = grams(text), _numbers(text)
        met = {at for gram in self._rarest(own) for at in self._by_gram.get(gram, ())}
        best: Near[T] | None = None
        for at in sorted(met):
            name, other, others, theirs = self._known[at]
            similarity = jaccard(own, others) if numbers == theirs else 0.0
            if similarity >= self._least - _NOISE and (not best or similarity > best.similarity):
                best = Near(name, other, similarity)
        return best

    def _rarest(self, own: frozenset[str]) -> list[str]:
        """So many of a text's grams, the rarest first, that every near text shares one of them."""
        n = len(own) - ceil(self._least * len(own) - _NOISE) + 1
        return sorted(own, key=lambda gram: (self._times[gram], gram))[:n]


def _numbers(text: str) -> frozenset[str]:
    return frozenset(_NUMBERS.findall(text))
