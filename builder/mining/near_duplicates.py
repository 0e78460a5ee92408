"""Which queries are the same but for the order of words, endings, accents or punctuation.

Each text is brought to one form, and texts of the same form are one: so a million take seconds,
and whether two are merged hangs on these two alone. Not merged are queries with other or more
words, other numbers ("iphone 13" and "iphone 14"), other signs ("c++" and "c#"), typing errors,
synonyms, and words written together or apart.
"""

import re
import unicodedata
from functools import lru_cache
from threading import Lock
from typing import Any, Final

MOST_CUT: Final = 2
"""Letters that an ending has at most: stemmers cut derivations too, "organization" to "organ"."""
_SHORTEST_STEMMED: Final = 4
_TURN = Lock()
"""A stemmer has a state of its own, and threads may ask at the same time."""

_APOSTROPHES = re.compile("['\u2019\u02bc\u0060\u00b4]")
# A point or comma within a number stays, and so do a point or minus that begins a word: .net, -5.
_PUNCTUATION = re.compile(
    r"(?<!\d)[.,](?!\w)|(?<=\w)[.,](?!\d)|(?<=[^\W\d])[.,]|(?<!\d),(?=\w)|(?<=\w)-|-(?!\d)"
    '|[;:!?"()\\[\\]{}\u00ab\u00bb\u201c-\u201f\u2018\u2010-\u2015\u2026\u00a1\u00bf\u00b7'
    "\u3001\u3002\uff0c\uff1f\uff01\u060c\u061f]"
)
_ACCENT = re.compile("(?<=[a-z\u03b1-\u03c9])[\u0300-\u036f]+")
_LETTERS = re.compile(r"[^\W\d_]+")


def near_form(text: str, language: str = "") -> str:
    """The form that all near-duplicates of a text share.

    Args:
        text: A query.
        language: ISO 639-1 code by which endings are cut; "" or one without a Snowball stemmer:
            endings stay.

    Returns:
        Its words without accents and short endings, in order; the text where there are none.
    """
    folded = unicodedata.normalize("NFKD", text.casefold())
    plain = unicodedata.normalize("NFC", _ACCENT.sub("", folded))
    words = _PUNCTUATION.sub(" ", _APOSTROPHES.sub("", plain)).split()
    return " ".join(sorted(_without_ending(word, language) for word in words)) or text


@lru_cache(maxsize=100_000)
def _without_ending(word: str, language: str) -> str:
    stemmer = _stemmer(language)
    if stemmer is None or len(word) < _SHORTEST_STEMMED or not _LETTERS.fullmatch(word):
        return word
    with _TURN:
        stem: str = stemmer.stemWord(word)
    return stem if len(word) - len(stem) <= MOST_CUT else word


@lru_cache(maxsize=8)
def _stemmer(language: str) -> Any:
    """Snowball's stemmer of the language, or None where there is none."""
    import Stemmer

    try:
        return Stemmer.Stemmer(language) if language else None
    except KeyError:
        return None
