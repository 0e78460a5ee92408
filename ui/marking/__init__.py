"""Where the words of a query stand in a text, in any inflected form and any script.

A search by one regular expression finds words that begin as a term does; Snowball's stemmers say
which of them are forms of it. A longer word that begins with a term is marked in that part, and
where a language writes several words as one, a word that ends with it too. Scripts without spaces
have no words to compare: there, what counts are runs of characters that query and text share.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from ui.marking import runs, words
from ui.marking.letters import combining_marks
from ui.marking.spans import Span, Terms
from ui.marking.stems import forms

__all__ = ["Span", "Terms", "find", "words_in"]

_MOST_TERMS = 50


def words_in(text: str) -> list[str]:
    """The words of a text in NFC; a run of a script without spaces is one."""
    found = []
    for word in _word().findall(text):
        at = 0
        for run in runs.SPACELESS.finditer(word):
            found += [word[at : run.start()], run[0]]
            at = run.end()
        found.append(word[at:])
    return [word for word in found if word]


def find(text: str, terms: Terms, most: int | None = None) -> list[Span]:
    """Where the terms stand in a text in NFC: in order, apart, at most `most` places."""
    if not terms.words:
        return []
    return _finder(terms).find(text, most)


@dataclass(frozen=True)
class _Finder:
    """Terms made ready for the search."""

    spaced: words.Words
    spaceless: runs.Runs | None

    def find(self, text: str, most: int | None) -> list[Span]:
        found = self.spaced.find(text, most)
        if self.spaceless:
            found = sorted([*found, *self.spaceless.find(text, most)])
        return found[:most]


@lru_cache(maxsize=64)
def _finder(terms: Terms) -> _Finder:
    shared: dict[str, int] = {}
    spaced = []
    asked = terms.words[:_MOST_TERMS]
    for number, form in enumerate(forms(asked, terms.language)):
        if runs.SPACELESS.match(form.plain):
            for run in runs.runs_of(asked[number]):
                shared.setdefault(run, number)
        else:
            spaced.append(words.made_ready(number, form, terms.language))
    return _Finder(words.Words(tuple(spaced), terms.language), runs.made_ready(shared))


@lru_cache(maxsize=1)
def _word() -> re.Pattern[str]:
    inner = f"{combining_marks()}\u00ad\u200c\u200d"
    return re.compile(
        rf"\d++(?:[.,]\d++)++(?!\w)|[^\W_{combining_marks()}][^\W_]*(?:[{inner}]+[^\W_]*)*"
    )
