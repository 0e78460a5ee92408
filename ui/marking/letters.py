"""Letters that are the same but for case, accents, and what nobody sees.

A word is compared by its *key* (NFKC, case folded, without what is invisible) and by its *plain*
form (the key without accents and vowel points).
"""

import re
import unicodedata
from functools import lru_cache

_SCRIPTS = {
    "Arab": "[\u0600-\u06ff\u0750-\u077f]",
    "Armn": "[\u0530-\u058f]",
    "Cyrl": "[\u0400-\u052f]",
    "Deva": "[\u0900-\u097f]",
    "Grek": "[\u0370-\u03ff\u1f00-\u1fff]",
    "Hang": "[\u1100-\u11ff\uac00-\ud7a3]",
    "Hebr": "[\u0590-\u05ff]",
    "Latn": "[a-z\u00aa-\u024f\u1e00-\u1eff]",
    "Taml": "[\u0b80-\u0bff]",
}
# Soft hyphen, zero-width characters, and the Arabic letter that only stretches a word.
_INVISIBLE = re.compile("[\u00ad\u0640\u200b-\u200f\u2060]")
# Accents and points; not the vowel signs of Indic and Thai, without which words are others.
ACCENTS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u064b-\u065f\u0670\u06d6-\u06dc"
)
_ACCENT = re.compile(f"[{ACCENTS}]")
_LETTERS = ((0x41, 0x250), (0x370, 0x530), (0x590, 0x700), (0x1E00, 0x2000), (0x2C60, 0x2E00),
            (0xA640, 0xA800), (0xFB00, 0xFF00), (0xFF21, 0xFF5B))  # fmt: skip


def key_of(word: str, language: str) -> str:
    """The word without differences that nobody sees or that are only of case."""
    if word.isascii() and language != "tr":
        return word.lower()
    if language == "tr":
        word = word.replace("I", "\u0131")
    folded = unicodedata.normalize("NFKC", word).replace("\u0130", "i").casefold()
    # A sharp s is two letters, a final sigma the same letter; a dot above an i is no other i.
    return _INVISIBLE.sub("", unicodedata.normalize("NFC", folded)).replace("i\u0307", "i")


def plain_of(key: str) -> str:
    """The key without accents and points, and without the difference of i and dotless i."""
    if key.isascii():
        return key
    parts = _ACCENT.sub("", unicodedata.normalize("NFD", key)).replace("\u0131", "i")
    return unicodedata.normalize("NFC", parts)


def between_letters(plain: str) -> str:
    """What may stand between two letters and leaves the word the same: a regular expression."""
    if script_of(plain[:1]) in ("Arab", "Hebr"):
        return f"[{ACCENTS}\u00ad\u0640\u200b-\u200f\u2060]*+"
    # Two ranges are compiled at once; more of them take ten times as long.
    return "[\u0300-\u036f\u00ad]*+"


def script_of(key: str) -> str:
    """ISO 15924 code of the first letter's script, of those that make a difference; else ""."""
    return next((name for name, letters in _LETTERS_OF if letters.search(key)), "")


@lru_cache(maxsize=1)
def letters_by_plain() -> dict[str, str]:
    """Plain form -> all letters that have it, in either case; a ligature has several letters."""
    found: dict[str, str] = {}
    for first, end in _LETTERS:
        for letter in map(chr, range(first, end)):
            plain = plain_of(key_of(letter, ""))
            if plain and letter.isalpha():
                found[plain] = found.get(plain, "") + letter
    return found


@lru_cache(maxsize=1)
def ligatures() -> list[tuple[str, str]]:
    """Several plain letters, and the characters that stand for them as one."""
    return [(plain, found) for plain, found in letters_by_plain().items() if len(plain) > 1]


@lru_cache(maxsize=1)
def combining_marks() -> str:
    """The combining marks of the BMP as a character class: vowel signs belong to their word."""
    points = {p for p in range(0x300, 0xFE30) if unicodedata.category(chr(p)).startswith("M")}
    firsts = sorted(p for p in points if p - 1 not in points)
    lasts = sorted(p for p in points if p + 1 not in points)
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in zip(firsts, lasts, strict=True))


_LETTERS_OF = [(name, re.compile(letters)) for name, letters in _SCRIPTS.items()]
