"""The query is clearly in another language than it was asked for in.

Short queries seldom tell, and product names stand in queries of every language; so words that the
passage itself holds say nothing, and what is not clear passes. Languages that py3langid confuses
are taken for one.
"""

import re
from typing import Final

from builder.mining.languages import guess_language
from builder.store.synthetic_queries import Finding
from builder.synthesis.filters.passages import indexed
from builder.synthesis.filters.tokens import tokens

LEAST_CONFIDENCE: Final = 0.9
"""Of another language; of 400 short queries in four languages it tells none wrong."""
FEWEST_WORDS: Final = 3
"""So many words have to tell."""
FEWEST_LATIN: Final = 2
"""So many Latin words, where another script was asked for and nothing of it is there."""

_ALIKE: Final = (
    frozenset({"da", "no", "nb", "nn", "sv"}),
    frozenset({"cs", "sk"}),
    frozenset({"hr", "sl", "sr", "bs"}),
    frozenset({"id", "ms"}),
    frozenset({"es", "pt", "gl", "ca"}),
    frozenset({"be", "ru", "uk"}),
    frozenset({"bg", "mk"}),
    frozenset({"hi", "mr", "ne"}),
    frozenset({"ar", "fa", "ur", "ps"}),
    # A Japanese query may hold nothing but kanji.
    frozenset({"ja", "zh"}),
)
_OWN_SCRIPT: Final = {
    **dict.fromkeys(("be", "bg", "kk", "mk", "ru", "uk"), "\u0400-\u052f"),
    **dict.fromkeys(("ar", "fa", "ps", "ur"), "\u0600-\u06ff\u0750-\u077f"),
    **dict.fromkeys(("hi", "mr", "ne"), "\u0900-\u097f"),
    "ja": "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff",
    "zh": "\u3400-\u4dbf\u4e00-\u9fff",
    "ko": "\u1100-\u11ff\uac00-\ud7a3",
    "el": "\u0370-\u03ff",
    "he": "\u05d0-\u05ea",
    "hy": "\u0531-\u0587",
    "ka": "\u10a0-\u10ff",
    "th": "\u0e01-\u0e5b",
}
_LATIN = re.compile("[a-z\u00df-\u00f6\u00f8-\u024f\u1e00-\u1eff]")
_KANA = re.compile("[\u3041-\u30ff]")
_LETTER = re.compile(r"[^\W\d_]")


def language(text: str, wanted: str, passage: str = "") -> Finding | None:
    """Whether the query is clearly in another language.

    Args:
        text: The query.
        wanted: ISO 639-1 code of the language that was asked for; any other word: nothing is asked.
        passage: What the model saw of the document.
    """
    if not re.fullmatch("[a-z]{2}", wanted):
        return None
    known = indexed(passage).places
    own = (token.text for token in tokens(text))
    telling = [word for word in own if word not in known and _LETTER.search(word)]
    if wanted in _OWN_SCRIPT:
        return _other_script(text, telling, wanted)
    return _not_latin(text, telling, wanted) or _other_latin(telling, wanted)


def _other_script(text: str, telling: list[str], wanted: str) -> Finding | None:
    """Another script was asked for: nothing of it is there, or kana where Chinese was wanted."""
    if wanted == "zh" and _KANA.search(text):
        return Finding("language", "it holds kana, and zh was asked for")
    if re.search(f"[{_OWN_SCRIPT[wanted]}]", text):
        guess = guess_language(text)
        if guess.language in _OWN_SCRIPT and not _same(guess.language, wanted):
            return _told(guess.language, guess.confidence, wanted)
        return None
    latin = [word for word in telling if _LATIN.match(word)]
    others = [word for word in telling if not _LATIN.match(word) and len(word) > 1]
    if len(latin) < FEWEST_LATIN and not others:
        return None
    said = " ".join((others or latin)[:FEWEST_WORDS])
    return Finding("language", f"no letter of the script of {wanted}, but {said!r}")


def _not_latin(text: str, telling: list[str], wanted: str) -> Finding | None:
    """Latin was asked for, and most letters are others: a mu or a beta within is none."""
    letters = _LETTER.findall(text.casefold())
    others = sum(_LATIN.match(letter) is None for letter in letters)
    if not telling or not _by_script(wanted) or others <= len(letters) / 2:
        return None
    guess = guess_language(text)
    return _told(guess.language or "another", guess.confidence, wanted)


def _other_latin(telling: list[str], wanted: str) -> Finding | None:
    latin = [word for word in telling if _LATIN.match(word)]
    if len(latin) < FEWEST_WORDS:
        return None
    guess = guess_language(" ".join(latin))
    if guess.language is None or guess.confidence < LEAST_CONFIDENCE:
        return None
    return (
        None if _same(guess.language, wanted) else _told(guess.language, guess.confidence, wanted)
    )


def _by_script(wanted: str) -> bool:
    """Serbian and Kazakh are written in two scripts."""
    return wanted not in {"sr", "kk", "uz", "az", "mn", "bs"}


def _same(guessed: str, wanted: str) -> bool:
    return guessed == wanted or any(guessed in alike and wanted in alike for alike in _ALIKE)


def _told(guessed: str, confidence: float, wanted: str) -> Finding:
    return Finding(
        "language", f"{guessed} (confidence {confidence:.2f}), and {wanted} was asked for"
    )
