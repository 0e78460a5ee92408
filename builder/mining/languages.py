"""Which language a text is in: by its script, and where several languages share one, by py3langid.

Queries are short, and most do not tell. Of 400 in English, German, French and Spanish
(tests/builder/mining/short_queries.py) a confidence of .6 names 146, 6 of them wrong, all as Dutch
or Swedish; .8 names 92, none of them wrong. So a language other than the workspace's own has to be
told clearly, at .8, by a share of the log, before .6 is enough for it: else a handful of product
names that look Dutch would weigh as much as all the rest.
"""

import copy
import re
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from threading import Lock
from typing import Any, Final, NamedTuple

OTHER: Final = "other or unknown"
"""What is not clear, and what is clear of too few."""
LEAST_CONFIDENCE: Final = 0.6
"""From here on a query is believed to be in a language that the log is known to hold."""
FOREIGN_CONFIDENCE: Final = 0.8
"""From here on it tells that the log holds another language than the workspace's own."""
FEWEST_FOREIGN: Final = 10
"""Queries of another language, at least."""
LEAST_FOREIGN: Final = 0.01
"""Share of all queries, at least; a tenth to a half of short queries are clear enough to count."""

_LEAST_KANA: Final = 0.05
"""Of kana and Han letters: a Chinese text may hold a Japanese name."""
_LETTERS_A_CHARACTER: Final = {"ja": 3, "zh": 3, "ko": 3}

_TURN = Lock()
_LETTER = re.compile(r"[^\W\d_]")
_SCRIPTS: Final = tuple(
    (name, re.compile(f"[{letters}]"))
    for name, letters in (
        ("ja", "\u3041-\u30ff"),
        ("ko", "\u1100-\u11ff\uac00-\ud7a3"),
        ("zh", "\u3400-\u4dbf\u4e00-\u9fff"),
        ("cyrillic", "\u0400-\u052f"),
        ("arabic", "\u0620-\u06ff\u0750-\u077f"),
        ("devanagari", "\u0900-\u097f"),
        ("el", "\u0370-\u03ff"),
        ("he", "\u05d0-\u05ea"),
        ("hy", "\u0531-\u0587"),
        ("ka", "\u10a0-\u10ff"),
        ("th", "\u0e01-\u0e5b"),
        ("lo", "\u0e81-\u0edf"),
        ("km", "\u1780-\u17ff"),
        ("my", "\u1000-\u109f"),
        ("am", "\u1200-\u137f"),
        ("bn", "\u0980-\u09ff"),
        ("pa", "\u0a00-\u0a7f"),
        ("gu", "\u0a80-\u0aff"),
        ("ta", "\u0b80-\u0bff"),
        ("te", "\u0c00-\u0c7f"),
        ("kn", "\u0c80-\u0cff"),
        ("ml", "\u0d00-\u0d7f"),
        ("si", "\u0d80-\u0dff"),
    )
)
_LANGUAGES_OF: Final = {
    "latin": (
        "cs", "da", "de", "en", "es", "et", "fi", "fr", "hr", "hu", "id", "it", "lt", "lv", "nl",
        "no", "pl", "pt", "ro", "sk", "sl", "sv", "tr", "vi",
    ),
    "cyrillic": ("be", "bg", "kk", "mk", "ru", "sr", "uk"),
    "arabic": ("ar", "fa", "ps", "ur"),
    "devanagari": ("hi", "mr", "ne"),
}  # fmt: skip
_BY_SCRIPT: Final = {name for name, _ in _SCRIPTS} - set(_LANGUAGES_OF)


class Guess(NamedTuple):
    """What a query tells of its language.

    Attributes:
        language: ISO 639-1 code; None where the text holds no letter.
        confidence: From 0 to 1; 1 where only one language has the script.
    """

    language: str | None
    confidence: float


NOTHING: Final = Guess(None, 0.0)


def guess_language(text: str) -> Guess:
    """The likeliest language of a query."""
    script = _script_of(text)
    if script is None:
        return NOTHING
    if script not in _LANGUAGES_OF:
        return Guess(script, 1.0)
    with _TURN:
        language, confidence = _identifier(script).classify(text)
    return Guess(str(language), float(confidence))


def guess_text_language(text: str) -> Guess:
    """The likeliest language of a text of sentences, by the script that most of it is written in.

    One Greek letter in an English text makes it no Greek text. Han letters are Japanese where kana
    stand among them, and both count as the words that they are.

    Args:
        text: Some thousand characters at most are enough.
    """
    letters = _letters_by_script(text)
    script = max(letters, key=lambda name: letters[name], default="")
    if not script or script not in _LANGUAGES_OF:
        return Guess(script, 1.0) if script else NOTHING
    for name, others in _SCRIPTS:
        text = text if name == script else others.sub(" ", text)
    with _TURN:
        language, confidence = _identifier(script).classify(text)
    return Guess(str(language), float(confidence))


def _letters_by_script(text: str) -> Counter[str]:
    """Script -> its letters, those that are half a word or more thrice; scripts without any not."""
    found = Counter({"latin": len(_LETTER.findall(text))})
    if not text.isascii():
        for name, letters in _SCRIPTS:
            n = len(letters.findall(text))
            found[name] += n * _LETTERS_A_CHARACTER.get(name, 1)
            found["latin"] -= n
    kana, han = found.pop("ja", 0), found.pop("zh", 0)
    japanese = kana > _LEAST_KANA * (kana + han)
    return +(found + Counter({"ja" if japanese else "zh": kana + han}))


def languages_beside(language: str) -> tuple[str, ...]:
    """The languages of the same script, itself among them, by ISO 639-1 code."""
    for languages in _LANGUAGES_OF.values():
        if language in languages:
            return languages
    return (language,)


def settle(guesses: Sequence[Guess], own: str) -> list[str]:
    """The language of each query, by what all of them tell.

    Args:
        guesses: Of `guess_language`.
        own: ISO 639-1 code of the language that most are expected to be in.

    Returns:
        ISO 639-1 codes: `own`, languages with a script of their own, and others that at least
        `FEWEST_FOREIGN` queries and `LEAST_FOREIGN` of all are clearly in; else `OTHER`.
    """
    clear = Counter(one.language for one in guesses if one.confidence >= FOREIGN_CONFIDENCE)
    least = max(FEWEST_FOREIGN, LEAST_FOREIGN * len(guesses))
    stands = _BY_SCRIPT | {own} | {name for name, n in clear.items() if n >= least}
    return [_believed(one, stands) or OTHER for one in guesses]


def _believed(guess: Guess, stands: AbstractSet[str | None]) -> str | None:
    believed = guess.language in stands and guess.confidence >= LEAST_CONFIDENCE
    return guess.language if believed else None


def _script_of(text: str) -> str | None:
    """A script of `_LANGUAGES_OF`, the only language of another script, or None without letters."""
    if not text.isascii():
        for name, letters in _SCRIPTS:
            if letters.search(text):
                return name
    return "latin" if _LETTER.search(text) else None


@lru_cache(maxsize=len(_LANGUAGES_OF))
def _identifier(script: str) -> Any:
    of_script = copy.copy(_model())
    of_script.set_languages(_LANGUAGES_OF[script])
    return of_script


@lru_cache(maxsize=1)
def _model() -> Any:
    """Loaded once, in a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
