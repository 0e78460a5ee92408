"""Words of any script, and how much each weighs: what lengths, copies and leaks are counted in.

Scripts without blanks between words are cut into characters, of which two (kana, Han) or four (Thai
to Myanmar) weigh as much as a word; a run of katakana is a word, as it is in product names. Rules
of thumb: a Japanese or Chinese word has about two characters, a Thai one four to five.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from evals.bm25 import words

_KATAKANA: Final = "\u30a1-\u30fa\u30fc-\u30ff"
_HALF: Final = "\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_QUARTER: Final = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff"
_PARTS = re.compile(
    f"[{_KATAKANA}]+|(?P<half>[{_HALF}])|(?P<quarter>[{_QUARTER}])|[^{_KATAKANA}{_HALF}{_QUARTER}]+"
)
_SPACELESS = re.compile(f"[{_KATAKANA}{_HALF}{_QUARTER}]")


class Token(NamedTuple):
    """A word, or a character of a script that parts no words.

    Attributes:
        text: Normalised (NFKC) and case folded.
        weight: In words: 1, .5 or .25.
    """

    text: str
    weight: float


def tokens(text: str) -> tuple[Token, ...]:
    """The words of a text in their order, without punctuation."""
    found: list[Token] = []
    for word in words(text):
        if _SPACELESS.search(word):
            found.extend(_parted(word))
        else:
            found.append(Token(word, 1.0))
    return tuple(found)


def count_words(text: str) -> float:
    """How long a text is in words; "don't" and "left-handed" are one each."""
    return sum(_words_in(part) for part in text.split())


def weight(counted: Iterable[Token]) -> float:
    """How many words these are together."""
    return sum(token.weight for token in counted)


def joined(counted: Sequence[Token]) -> str:
    """The tokens as they are read: blanks only between words that have them."""
    said = ""
    for token in counted:
        blank = (
            " "
            if said and not (_SPACELESS.match(token.text) and _SPACELESS.match(said[-1]))
            else ""
        )
        said += blank + token.text
    return said


def units(counted: Sequence[Token]) -> set[str]:
    """What can leak: whole words, and neighbouring characters of scripts that part no words.

    Single characters would say nothing: a page of Japanese holds nearly all kana.
    """
    whole = {token.text for token in counted if token.weight == 1}
    beside = pairwise(counted)
    return whole | {a.text + b.text for a, b in beside if a.weight < 1 and b.weight < 1}


def _parted(word: str) -> list[Token]:
    return [Token(part.group(), _weight_of(part)) for part in _PARTS.finditer(word)]


def _weight_of(part: "re.Match[str]") -> float:
    return 0.5 if part["half"] else 0.25 if part["quarter"] else 1.0


def _words_in(part: str) -> float:
    counted = tokens(part)
    if all(token.weight == 1 for token in counted):
        katakana = sum(_SPACELESS.match(token.text) is not None for token in counted)
        return max(katakana, bool(counted))
    return weight(counted)
