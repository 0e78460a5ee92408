"""Character 3-grams: how alike two queries are, whatever their language."""

import re
import unicodedata

N = 3
_BETWEEN = re.compile(r"[^\w+#]+|_+")
_SIGNS = "+#"
"""They tell c++ and c# from c."""


def normalised(text: str) -> str:
    """NFKC, case folded, one blank for whatever is no letter, mark, digit or sign of a name."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    if folded.isascii():
        return _BETWEEN.sub(" ", folded).strip()
    return " ".join("".join(char if _is_kept(char) else " " for char in folded).split())


def grams(text: str) -> frozenset[str]:
    """The 3-grams of a text with a blank at either end: beginnings and ends of words count."""
    said = f" {normalised(text)} "
    return frozenset(said[at : at + N] for at in range(max(len(said) - N + 1, 1)))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Of the grams that either has, the share that both have; 0 where there are none."""
    shared = len(one & other)
    either = len(one) + len(other) - shared
    return shared / either if either else 0.0


def _is_kept(char: str) -> bool:
    return char in _SIGNS or unicodedata.category(char)[0] in "LNM"
