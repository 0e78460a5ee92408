"""Untrusted text on screen: always escaped, never Markdown, HTML or LaTeX.

Documents, queries, comments and names come from files and people. They reach the page only through
the functions here, as HTML for `st.html`; st.markdown, captions, toasts and labels would read
`:red[x]`, `$x$` or `![](…)` as markup. `button_label` is for the one place that takes no HTML.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from ui.marking import Span, Terms, find, words_in
from ui.marking.letters import key_of
from ui.passages import passages

FOLD_BUDGET = 1200
"""Characters of a text that are shown before the rest is folded away; 150 words are about 1,000."""

NO_TERMS = Terms()

GAP = '<span class="gs-gap" role="img" aria-label="text left out"> … </span>'
# Of English the list is one of articles, pronouns and the like; it lacks some, and a query that
# denies something is about that.
_ALSO_SMALL = frozenset(
    ("also", "could", "may", "might", "must", "shall", "us", "whether", "would")
)
_TELLING = frozenset(("no", "nor", "not"))
_LISTS = {
    "en": "EN_PLUS",
    "da": "DANISH", "de": "GERMAN", "es": "SPANISH", "fr": "FRENCH", "it": "ITALIAN",
    "nb": "NORWEGIAN", "nl": "DUTCH", "nn": "NORWEGIAN", "no": "NORWEGIAN", "pt": "PORTUGUESE",
    "ru": "RUSSIAN", "sv": "SWEDISH", "tr": "TURKISH",
}  # fmt: skip
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A text as it is shown.

    Attributes:
        html: Safe HTML of the passages shown.
        hidden: How many characters are folded away; 0 when all is shown.
    """

    html: str
    hidden: int


def clean(text: str) -> str:
    """The text in NFC with line feeds as line ends; what no page can hold becomes U+FFFD."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    if lines.isascii():
        return lines
    readable = lines.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return unicodedata.normalize("NFC", readable)


def query_terms(query: str, language: str = "en") -> Terms:
    """The words of a query that are worth marking, longest first: no stop words, if it has others.

    Args:
        query: As it was typed.
        language: ISO 639-1 code of the texts, of which words are found in every form.
    """
    words = {key_of(word, language) for word in words_in(clean(query))}
    few = _few_words(language)
    telling = {word for word in words if word not in few and not _is_letter(word)}
    return Terms(tuple(sorted(telling or words, key=lambda word: (-len(word), word))), language)


def marked(text: str, terms: Terms = NO_TERMS) -> str:
    """Safe HTML of the text with the terms, in all their forms, in <mark>."""
    whole = clean(text)
    return _marked(whole, 0, len(whole), find(whole, terms))


def folded(text: str, terms: Terms = NO_TERMS, budget: int = FOLD_BUDGET) -> FoldedText:
    """The beginning of a long text and the passages that say most, the rest folded away."""
    whole = clean(text)
    if len(whole) <= budget:
        return FoldedText(_marked(whole, 0, len(whole), find(whole, terms)), 0)
    stretches, found = passages(whole, terms, budget)
    shown = [_marked(whole, start, end, found) for start, end in stretches]
    tail = GAP if stretches[-1][1] < len(whole) else ""
    hidden = len(whole) - sum(end - start for start, end in stretches)
    return FoldedText(GAP.join(shown) + tail, hidden)


def block(html: str, *, kind: str = "gs-text") -> str:
    """Safe HTML in a block of its own: its direction follows the text, long words wrap."""
    return f'<div class="{kind}" dir="auto">{html}</div>'


def inline(text: str) -> str:
    """A name or title inside a sentence of ours: escaped and isolated from its direction."""
    return f"<bdi>{escape(clean(text))}</bdi>"


def button_label(text: str) -> str:
    """The text for a button: every character that Markdown reads is escaped.

    The word joiner behind a colon keeps `:material/home:` from becoming an icon, which Streamlit
    looks for after unescaping. Not for captions or progress texts: there addresses become links.
    """
    line = " ".join(clean(text).split())
    return _PUNCTUATION.sub(r"\\\1", line).replace(":", ":\u2060")


def _marked(text: str, first: int, last: int, spans: Iterable[Span]) -> str:
    """Safe HTML of a stretch of the text; of a match that its border cuts, the part inside."""
    html, at = [], first
    for span in spans:
        start, end = max(span.start, first), min(span.end, last)
        if start < end:
            html += [escape(text[at:start]), f"<mark>{escape(text[start:end])}</mark>"]
            at = end
    return "".join([*html, escape(text[at:last])])


def _is_letter(word: str) -> bool:
    """Whether it is one letter or digit; one character of a script without spaces is a word."""
    return len(word) == 1 and not "\u0e00" <= word <= "\u9fff"


@lru_cache(maxsize=16)
def _few_words(language: str) -> frozenset[str]:
    """The stop words of a language, as they are compared; none where they are not known."""
    if language not in _LISTS:
        return frozenset()
    from bm25s import stopwords

    words: Iterable[str] = getattr(stopwords, f"STOPWORDS_{_LISTS[language]}")
    few = frozenset(key_of(word, language) for word in words)
    return (few | _ALSO_SMALL) - _TELLING if language == "en" else few
