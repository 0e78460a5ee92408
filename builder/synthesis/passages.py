"""Long documents by passages: as much of a text as a request may hold, cut where sentences end."""

import re
import unicodedata
from typing import Final

from builder.mining.languages import LEAST_CONFIDENCE, guess_text_language, languages_beside

MOST_CHARACTERS = 6_000
"""Of one passage in an alphabet, some 1,500 tokens; ideographs count thrice."""
LEAST_LETTERS = 40
"""About eight words: of less no query can be written that means this text and no other."""
_IDEOGRAPH_WEIGHT = 3
_LANGUAGE_SAMPLE = 2_000

_LETTERS = re.compile(r"[^\W_]+")
_IDEOGRAPH = re.compile(
    "[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]"
)
_END = re.compile(
    r"(?:[.!?\u2026][\"'\u201d\u2019)\]]{0,3}(?=\s)|[\u3002\uff01\uff1f\uff0e\u0964\u06d4]"
    r"[\"'\u201d\u2019\u300d\u300f)\uff09]{0,3}|\n[ \t]{0,8}(?=\n))"
)
_BLANK = re.compile(r"\s")
_JOINERS: Final = "\u200d\ufe0e\ufe0f"

Passage = tuple[int, int]
"""The first character, and the one after the last."""


def letters_in(text: str) -> int:
    """Letters and digits, where kana, Han letters and Hangul count thrice: each says as much."""
    letters = sum(map(len, _LETTERS.findall(text)))
    if text.isascii():
        return letters
    return letters + (_IDEOGRAPH_WEIGHT - 1) * len(_IDEOGRAPH.findall(text))


def is_telling(text: str) -> bool:
    """Whether a text says enough for a query to be written of it."""
    return letters_in(text) >= LEAST_LETTERS


def passages_of(text: str) -> list[Passage]:
    """The passages of a text in its order, without white space around them; linear in its length.

    Together they hold all of it but white space and passages of fewer than `LEAST_LETTERS`. Where
    no passage has as many, the first one is all; a blank text has none.
    """
    found = []
    start = _after_blanks(text, 0)
    while start < len(text):
        end = _end_of_passage(text, start)
        found.append((start, start + len(text[start:end].rstrip())))
        start = _after_blanks(text, end)
    telling = [(first, last) for first, last in found if is_telling(text[first:last])]
    return telling or found[:1]


def first_half(text: str, passage: Passage) -> Passage | None:
    """About the first half of a passage, cut where a sentence ends; None where that says nothing.

    Args:
        text: Of the document.
        passage: A part of it.
    """
    first, last = passage
    part = text[first:last]
    end = first + _cut(part, len(part) // 4, len(part) // 2)
    end = first + len(text[first:end].rstrip())
    return (first, end) if is_telling(text[first:end]) else None


def beginning(text: str, most: int) -> str:
    """The text's beginning, of at most so many characters, cut where a sentence ends if it can."""
    text = text.strip()
    return text if len(text) <= most else text[: _cut(text, most // 2, most)].rstrip()


def language_of(text: str, own: str) -> str:
    """ISO 639-1 code of the language that a passage is in.

    Args:
        text: The passage.
        own: The workspace's language; that of texts that do not tell, if they may be in it.
    """
    guess = guess_text_language(text[:_LANGUAGE_SAMPLE])
    if guess.language is None:
        return own
    unclear = guess.confidence < LEAST_CONFIDENCE and own in languages_beside(guess.language)
    return own if unclear else guess.language


def _end_of_passage(text: str, start: int) -> int:
    window = text[start : start + MOST_CHARACTERS]
    share = len(_IDEOGRAPH.findall(window)) / len(window)
    size = int(MOST_CHARACTERS / (1 + (_IDEOGRAPH_WEIGHT - 1) * share))
    left = len(text) - start
    if left <= size:
        return len(text)
    # What is left for two passages is shared between them, so that the last is no remnant.
    most = size if left >= 2 * size else min(size, (left + size // 4) // 2 + 1)
    return start + _cut(window, most // 2, most)


def _cut(text: str, least: int, most: int) -> int:
    """Where to cut: after the last sentence between the two, else at a blank, else at `most`."""
    # One character more: the blank after a full stop tells that it is one.
    ends = [match.end() for match in _END.finditer(text, least, most + 1)]
    ends = [end for end in ends if end <= most]
    ends = ends or [match.end() for match in _BLANK.finditer(text, least, most)]
    if ends:
        return ends[-1]
    cut = most
    while cut > least and _belongs_to_the_one_before(text, cut):
        cut -= 1
    return cut


def _belongs_to_the_one_before(text: str, place: int) -> bool:
    if place >= len(text):
        return False
    character = text[place]
    joined = character in _JOINERS or text[place - 1] == "\u200d"
    return joined or unicodedata.combining(character) > 0


def _after_blanks(text: str, start: int) -> int:
    while start < len(text) and text[start].isspace():
        start += 1
    return start
