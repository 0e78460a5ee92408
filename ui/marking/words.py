"""Words of scripts with spaces: forms of a term, and longer words that hold one."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from ui.marking.letters import key_of, plain_of, script_of
from ui.marking.patterns import Term, anchor_of, candidate_pattern, shared_letters
from ui.marking.runs import SPACELESS
from ui.marking.spans import Span
from ui.marking.stems import LANGUAGES_OF_COMPOUNDS, Form, forms

SHORTEST_BEGINNING = 4
"""Letters that a term must have to be marked at the beginning of any longer word."""

_SHORTEST_END = 4
_SHORTEST_MIDDLE = 6
_PREFIXED_SCRIPTS = ("Arab", "Hebr")
_LONGEST_PREFIX = 4
"""Letters that the small words before an Arabic or Hebrew word take: and, as, with, the."""


@dataclass(frozen=True)
class Words:
    """The terms made ready for the search."""

    terms: tuple[Term, ...]
    language: str

    def find(self, text: str, most: int | None) -> list[Span]:
        """Where forms of the terms stand, in order, among about `most` times four candidates."""
        candidates = self._candidates(text, most)
        distinct = list({word for _, word in candidates})
        parts = {
            word: part
            for word, form in zip(distinct, forms(distinct, self.language), strict=True)
            if (part := self._part_of(word, form))
        }
        return [
            Span(place + part.start, place + part.end, part.term, part.weight)
            for place, word in candidates
            if (part := parts.get(word))
        ]

    def _candidates(self, text: str, most: int | None) -> list[tuple[int, str]]:
        """Place and word, where the first letters of a term stand."""
        is_ascii = text.isascii()
        pattern = candidate_pattern(self.terms, is_ascii=is_ascii)
        if pattern is None:
            return []
        matches = islice(pattern.finditer(text), most and 4 * most)
        if not any(term.is_inside for term in self.terms):
            words = [(match.start(), match[0]) for match in matches]
        else:
            words = _from_their_start(text, matches)
        return words if is_ascii else [(place, _cut(word)) for place, word in words]

    def _part_of(self, word: str, form: Form) -> Span | None:
        """Which part of a word is marked, and for which term; None if nothing of it is."""
        for term in self.terms:
            if _is_same(form, term.form):
                return Span(0, len(word), term.number, 1.0)
        parts = (self._part(word, form, term) for term in self.terms)
        return next((part for part in parts if part), None)

    def _part(self, word: str, form: Form, term: Term) -> Span | None:
        if length := _shared_beginning(form, term, self.language):
            return Span(0, _place(word, length, self.language), term.number, 0.5)
        if not term.is_inside:
            return None
        at = form.plain.find(term.anchor, 1)
        while at > 0:
            if part := self._inner_part(word, form, term, at):
                return part
            at = form.plain.find(term.anchor, at + 1)
        return None

    def _inner_part(self, word: str, form: Form, term: Term, at: int) -> Span | None:
        """The end of a compound, or a word behind its prefixed small words."""
        start = _place(word, at, self.language)
        tail = forms([word[start:]], self.language)[0]
        if _is_same(tail, term.form):
            if not term.is_clitic:
                return Span(start, len(word), term.number, 1.0)
            return Span(0, len(word), term.number, 1.0) if at <= _LONGEST_PREFIX else None
        shared = shared_letters(form.plain[at:], term.form.plain)
        if term.is_clitic or shared < max(_SHORTEST_MIDDLE, len(term.form.stem)):
            return None
        return Span(start, _place(word, at + shared, self.language), term.number, 0.5)


def made_ready(number: int, form: Form, language: str) -> Term:
    """A word of a query as it is sought."""
    is_clitic = script_of(form.plain) in _PREFIXED_SCRIPTS
    is_compound = language in LANGUAGES_OF_COMPOUNDS and script_of(form.plain) == "Latn"
    is_inside = is_clitic or (is_compound and len(form.stem) >= _SHORTEST_END)
    return Term(number, form, anchor_of(form), is_inside, is_clitic)


def _is_same(form: Form, other: Form) -> bool:
    return form.stem == other.stem or form.plain == other.plain


def _shared_beginning(form: Form, term: Term, language: str) -> int:
    """How many letters of a longer word are the term: 0 if it does not begin with it."""
    plain = term.form.plain
    is_syllabic = script_of(term.form.plain) == "Hang"
    if len(plain) < (2 if is_syllabic else SHORTEST_BEGINNING) or plain.isdecimal():
        return 0
    if form.plain.startswith(plain):
        return len(plain)
    stem = term.form.stem
    shared = shared_letters(form.plain, plain)
    is_compound = language in LANGUAGES_OF_COMPOUNDS and len(stem) >= SHORTEST_BEGINNING
    return shared if is_compound and shared >= len(stem) else 0


def _place(word: str, length: int, language: str) -> int:
    """Where in a word its plain form has had so many letters; accents stay with their letter."""
    if word.isascii():
        return length
    at, plain = 0, 0
    while at < len(word) and plain < length:
        plain += len(plain_of(key_of(word[at], language)))
        at += 1
    while at < len(word) and unicodedata.category(word[at])[0] == "M":
        at += 1
    return at


def _from_their_start(text: str, matches: Iterable[re.Match[str]]) -> list[tuple[int, str]]:
    """Place and word, where what was found is the end of one."""
    found, end = [], 0
    for match in matches:
        start = _word_start(text, match.start(), end)
        end = match.end()
        found.append((start, text[start:end]))
    return found


def _cut(word: str) -> str:
    """The word as far as its script has spaces."""
    if word.isascii():
        return word
    run = SPACELESS.search(word)
    return word[: run.start()] if run else word


def _word_start(text: str, place: int, least: int) -> int:
    """Where the word at this place begins, at most 60 characters before it."""
    least = max(least, place - 60)
    while place > least and _is_of_word(text[place - 1]):
        place -= 1
    return place


def _is_of_word(letter: str) -> bool:
    if letter.isalnum():
        return not SPACELESS.match(letter)
    return unicodedata.category(letter)[0] == "M" or letter in "\u00ad\u200c\u200d"
