"""When two words are forms of one: by Snowball's stemmers, one per language.

A word in another script than the language's goes to a stemmer of that script.
"""

from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple

from ui.marking.letters import key_of, plain_of, script_of

LANGUAGES_OF_COMPOUNDS = frozenset(
    ("da", "de", "et", "fi", "hu", "is", "nb", "nl", "nn", "no", "sv")
)
"""They write several words as one, so that a term may be the end of a longer word."""

_LONGEST_WORD = 60
_TURN = Lock()
_OF_SCRIPT = {
    "Arab": "ar", "Armn": "hy", "Cyrl": "ru", "Deva": "hi", "Grek": "el", "Latn": "en",
    "Taml": "ta",
}  # fmt: skip
_SCRIPT_OF = {
    "ar": "Arab", "fa": "Arab", "ur": "Arab", "hy": "Armn", "ru": "Cyrl", "sr": "Cyrl",
    "uk": "Cyrl", "bg": "Cyrl", "hi": "Deva", "ne": "Deva", "mr": "Deva", "el": "Grek",
    "ta": "Taml", "he": "Hebr", "ko": "Hang",
}  # fmt: skip
_BY_OTHER_NAME = {"nb": "no", "nn": "no"}


class Form(NamedTuple):
    """A word as it is compared.

    Attributes:
        plain: Case folded, without accents and what is invisible.
        stem: What Snowball leaves of the word, without accents too; where there is no stemmer, the
            plain word.
    """

    plain: str
    stem: str


def forms(words: Sequence[str], language: str) -> list[Form]:
    """The words as they are compared, in the language (ISO 639-1) of the texts."""
    keys = [key_of(word, language) for word in words]
    chosen = [_stemmer_for(key, language) for key in keys]
    stems = dict(zip(keys, keys, strict=True))
    for code in {code for code in chosen if code}:
        alike = [key for key, of in zip(keys, chosen, strict=True) if of == code]
        stems.update(zip(alike, _stems(code, alike), strict=True))
    return [Form(plain_of(key), plain_of(stems[key])) for key in keys]


def _stemmer_for(key: str, language: str) -> str | None:
    """Which stemmer takes the word: the language's own for its script, else the script's."""
    if len(key) > _LONGEST_WORD:
        return None
    script = script_of(key)
    if script == _SCRIPT_OF.get(language, "Latn"):
        code = _BY_OTHER_NAME.get(language, language)
        return code if _stemmer(code) else None
    return _OF_SCRIPT.get(script)


def _stems(code: str, words: Sequence[str]) -> list[str]:
    # A stemmer has a state of its own, and the pages are drawn by several threads.
    with _TURN:
        stems: list[str] = _stemmer(code).stemWords(words)
    return stems


@lru_cache(maxsize=40)
def _stemmer(code: str) -> Any:
    """Snowball's stemmer of the language, or None where there is none."""
    import Stemmer

    try:
        return Stemmer.Stemmer(code)
    except KeyError:
        return None
