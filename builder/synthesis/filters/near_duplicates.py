"""Queries that say the same as one that is there: by one form of both, or by their 3-grams.

The form (`builder.mining.near_duplicates`) knows neither order nor endings of words; 3-grams of
characters know typing errors and a word more or less. Long queries that share nearly all 3-grams
may still ask for another thing, "… in java" and "… in rust", "iphone 13" and "iphone 14": so
numbers and names such as c++ have to be the same, and of words that only one of them has each needs
one in the other that is spelt much alike.

Two sets of grams have a Jaccard similarity of t or more only where they share at least t of the
grams of each. With all grams in one order, the first n - ceil(t n) + l of each then have l in
common, for any l up to ceil(t n) (Wang, Li and Feng 2012, Can we beat the prefix filtering?). The
rarest come first, so few texts are compared, and none above the threshold is missed.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from difflib import SequenceMatcher
from itertools import chain
from math import ceil
from typing import Final, Generic, NamedTuple, TypeVar

from builder.mining.near_duplicates import near_form
from builder.synthesis.filters.function_words import FUNCTION_WORDS
from builder.synthesis.filters.grams import grams, jaccard
from builder.synthesis.filters.tokens import tokens

LEAST: Final = 0.8
"""Shared character 3-grams, of all that either has: from here on two queries are near."""

_ALIKE: Final = 0.75
"""Of two words: the share of letters that stand in both in one order (Ratcliff and Obershelp)."""
_EXACT = re.compile(r"\d+(?:[.,]\d+)*|\w+[+#]+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_NOISE: Final = 1e-9
_IN_COMMON: Final = 4
"""Of the rarest grams, what near texts share of them; with 1 far more texts would be compared."""

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
        self._known.append((name, text, own, _exact(text)))
        for language in languages:
            self._by_form.setdefault((language, near_form(text, language)), place)
        for gram in self._rarest(own):
            self._by_gram[gram].append(place)

    def nearest(self, text: str, language: str) -> Near[T] | None:
        """The nearest query that is there, of equal ones the first; None if none is near."""
        place = self._by_form.get((language, near_form(text, language)))
        if place is not None:
            return Near(self._known[place][0], self._known[place][1], 1.0)
        own, exact = grams(text), _exact(text)
        met = Counter(
            chain.from_iterable(self._by_gram.get(gram, ()) for gram in self._rarest(own))
        )
        enough = min(_IN_COMMON, ceil(self._least * len(own) - _NOISE))
        best: Near[T] | None = None
        for at in sorted(at for at, shared in met.items() if shared >= enough):
            name, other, others, theirs = self._known[at]
            similarity = jaccard(own, others) if exact == theirs else 0.0
            if similarity < max(self._least - _NOISE, best.similarity + _NOISE if best else 0.0):
                continue
            if same_words(text, other):
                best = Near(name, other, similarity)
        return best

    def _rarest(self, own: frozenset[str]) -> list[str]:
        """So many of a text's grams, the rarest first, that every near text shares some of them."""
        n = len(own) - ceil(self._least * len(own) - _NOISE) + _IN_COMMON
        return sorted(own, key=lambda gram: (self._times[gram], gram))[:n]


def same_words(text: str, other: str) -> bool:
    """Whether each telling word that only one of two queries has is spelt much like one there.

    Where one only has words more than the other, it is. Function words and kana tell nothing.
    """
    ours, theirs = _telling(text), _telling(other)
    mine, others = ours - theirs, theirs - ours
    return not mine or not others or (_all_alike(mine, theirs) and _all_alike(others, ours))


def _all_alike(words: AbstractSet[str], others: AbstractSet[str]) -> bool:
    return all(any(_is_alike(word, other) for other in others) for word in words)


def _is_alike(word: str, other: str) -> bool:
    """Typing errors seldom change the first letter; "encode" and "decode" are no error."""
    return word[0] == other[0] and SequenceMatcher(None, word, other).ratio() >= _ALIKE


def _telling(text: str) -> set[str]:
    return {
        token.text
        for token in tokens(text)
        if token.text not in FUNCTION_WORDS and (token.weight == 1 or _HAN.match(token.text))
    }


def _exact(text: str) -> frozenset[str]:
    return frozenset(_EXACT.findall(text.casefold()))
