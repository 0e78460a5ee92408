"""The regular expression that finds where a word may be a form of a term."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ui.marking.letters import (
    between_letters,
    combining_marks,
    letters_by_plain,
    ligatures,
    script_of,
)
from ui.marking.stems import Form

_ANCHOR = 4
_JOINERS = "\u00ad\u200c\u200d"
_LETTER = r"[^\W_]"


class Term(NamedTuple):
    """A word of a query made ready for the search.

    Attributes:
        number: Its place among the terms.
        form: As it is compared.
        anchor: The letters with which its forms begin.
        is_inside: Whether it is sought inside of longer words too.
        is_clitic: Whether small words may be written before it, as in Arabic.
    """

    number: int
    form: Form
    anchor: str
    is_inside: bool
    is_clitic: bool


@lru_cache(maxsize=128)
def candidate_pattern(terms: tuple[Term, ...], *, is_ascii: bool) -> re.Pattern[str] | None:
    """Whole words, or from the first letters of a term on where it may stand inside of words.

    A text in ASCII has a pattern of its own, for which nothing large is to be compiled.
    """
    marks = "" if is_ascii else f"|[{combining_marks()}{_JOINERS}]"
    firsts: set[str] = set()
    beginnings: list[str] = []
    insides: list[str] = []
    for term in terms:
        between = "" if is_ascii else between_letters(term.form.plain)
        alone = f"{between}(?!{_LETTER}{marks})" if stands_alone(term.form.plain) else ""
        for letters, rest in _spellings(term.anchor, is_ascii=is_ascii):
            firsts.update(letters)
            branch = f"(?<=[{_class(letters)}]){rest}{alone}"
            (insides if term.is_inside else beginnings).append(branch)
    if not firsts:
        return None
    # What all begin with stands before all else: so the search skips what begins otherwise.
    first = f"[{_class(''.join(sorted(firsts)))}]"
    start = f"(?<!{_LETTER}.)" if is_ascii else _word_begins()
    at_start = [f"{start}(?:{'|'.join(dict.fromkeys(beginnings))})"] if beginnings else []
    either = "|".join([*at_start, *dict.fromkeys(insides)])
    return re.compile(f"{first}(?:{either})(?:{_LETTER}{marks}){{0,200}}+", re.DOTALL)


def anchor_of(form: Form) -> str:
    """The letters with which every form of the word begins, as far as stemmers only cut ends."""
    plain, stem = form
    if stem and stem in plain and not plain.startswith(stem):
        return stem[:_ANCHOR]  # a prefix was taken off, as from Arabic words
    if stands_alone(plain) or plain[0].isdecimal():
        return plain
    # One letter less than they share: the last of a stem may change, as in happy, happiness.
    return plain[: max(2, min(_ANCHOR, shared_letters(plain, stem) - 1))]


def stands_alone(plain: str) -> bool:
    """Whether a term is so short that only the same word is it; syllables say more than letters."""
    return len(plain) < (2 if script_of(plain) == "Hang" else 3)


def shared_letters(one: str, other: str) -> int:
    """How many letters two words begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _spellings(plain: str, *, is_ascii: bool) -> Iterator[tuple[str, str]]:
    """How letters may be written: which letters begin, and a regular expression for the others."""
    between = "" if is_ascii else between_letters(plain)
    for length in range(1, 2 if is_ascii else len(plain) + 1):
        if letters := _letters(plain[:length], is_ascii=is_ascii):
            tails = _spellings(plain[length:], is_ascii=is_ascii)
            rest = "|".join(f"[{_class(head)}]{tail}" for head, tail in tails)
            if rest or length == len(plain):
                yield letters, f"{between}(?:{rest})" if rest else ""
    if is_ascii or not plain:
        return
    # A ligature may hold more letters than are asked for.
    for other, letters in ligatures():
        if len(other) > len(plain) and other.startswith(plain):
            yield letters, ""


def _word_begins() -> str:
    """One character into a word; before it stands no letter, unless of a script without spaces."""
    spaceless = "(?<=[\u0e00-\u109f].)|(?<=[\u3040-\u9fff].)"
    return f"(?:(?<!{_LETTER}.)(?<![{combining_marks()}].)|{spaceless})"


def _letters(plain: str, *, is_ascii: bool) -> str:
    """All letters that are this one, or these, but for case and accents; "" if there are none."""
    known = letters_by_plain().get(plain, "")
    if is_ascii:
        return "".join(letter for letter in known or plain if letter.isascii())
    if known or len(plain) > 1:
        return known
    return plain if len(plain.upper()) > 1 else plain + plain.upper()


def _class(letters: str) -> str:
    return "".join(map(re.escape, letters))
