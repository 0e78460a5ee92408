"""Untrusted text on screen: always escaped, never Markdown, HTML or LaTeX.

Documents, queries, comments and names come from files and people. They reach the page only through
the functions here, as HTML for `st.html`; st.markdown, captions, toasts and labels would read
`:red[x]`, `$x$` or `![](…)` as markup. `button_label` is for the one place that takes no HTML.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import TypeAlias

Terms: TypeAlias = tuple[str, ...]
"""What `query_terms` gives and `marked` and `folded` take."""

NO_TERMS: Terms = ()

FOLD_BUDGET = 1200
"""Characters of a text that are shown before the rest is folded away; 150 words are about 1,000."""

_HEAD = 400
_AROUND = 160
_SMALLEST_WORDS = (
    "a an and are as at be by do does for from how i in is it of on or that the this to what "
    "when where which who why with you your"
)
_FEW_WORDS = frozenset(_SMALLEST_WORDS.split())
# Scripts written without spaces: Thai to Myanmar, kana, Han. A term may stand inside a "word".
_SPACELESS = re.compile(r"[\u0e00-\u0fff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
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
    readable = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    lines = readable.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return unicodedata.normalize("NFC", lines)


def query_terms(query: str, language: str = "en") -> Terms:  # noqa: ARG001
    """The words of a query that are worth marking, longest first, without the smallest words."""
    words = set(_word_pattern().findall(clean(query).casefold()))
    telling = {word for word in words if len(word) > 1 and word not in _FEW_WORDS}
    return tuple(sorted(telling or words, key=lambda word: (-len(word), word)))


def marked(text: str, terms: Terms = NO_TERMS) -> str:
    """Safe HTML of the text with the terms, and words that begin with one, in <mark>."""
    return _marked(clean(text), terms)


def folded(text: str, terms: Terms = NO_TERMS, budget: int = FOLD_BUDGET) -> FoldedText:
    """The beginning of a long text and the passages around its matches, the rest folded away."""
    whole = clean(text)
    if len(whole) <= budget:
        return FoldedText(_marked(whole, terms), 0)
    spans = _passages(whole, terms, budget)
    shown = [_marked(whole[start:end], terms) for start, end in spans]
    gap = '<span class="gs-gap" role="img" aria-label="text left out"> … </span>'
    tail = gap if spans[-1][1] < len(whole) else ""
    hidden = len(whole) - sum(end - start for start, end in spans)
    return FoldedText(gap.join(shown) + tail, hidden)


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


@lru_cache(maxsize=1)
def _word_pattern() -> re.Pattern[str]:
    return re.compile(rf"[^\W_{_marks()}][^\W_]*(?:[{_marks()}]+[^\W_]*)*")


@lru_cache(maxsize=1)
def _marks() -> str:
    """The combining marks of the BMP as a character class: vowel signs belong to their word."""
    points = [p for p in range(0x300, 0xFE30) if unicodedata.category(chr(p)).startswith("M")]
    return "".join(re.escape(chr(point)) for point in points)


@lru_cache(maxsize=64)
def _term_pattern(terms: Terms) -> re.Pattern[str]:
    """Words that begin with a term; anywhere in scripts without spaces, whole below 3 letters."""
    parts = []
    for term in terms:
        literal = re.escape(term)
        if _SPACELESS.search(term):
            parts.append(literal)
        elif len(term) < 3:
            parts.append(rf"(?<![^\W_]){literal}(?![^\W_{_marks()}])")
        else:
            parts.append(rf"(?<![^\W_]){literal}(?:[^\W_]|[{_marks()}])*")
    return re.compile("|".join(parts), re.IGNORECASE)


def _marked(text: str, terms: Terms) -> str:
    if not terms:
        return escape(text)
    html, end = [], 0
    for match in _term_pattern(terms).finditer(text):
        html += [escape(text[end : match.start()]), f"<mark>{escape(match.group())}</mark>"]
        end = match.end()
    return "".join([*html, escape(text[end:])])


def _passages(text: str, terms: Terms, budget: int) -> list[tuple[int, int]]:
    """Spans to show, in order and apart: the head, then around matches until the budget is used."""
    first = _HEAD if terms else budget
    spans = [(0, _word_end(text, first))]
    left = budget - spans[0][1]
    for match in _term_pattern(terms).finditer(text, spans[0][1]) if terms else ():
        start = max(spans[-1][1], _word_start(text, match.start() - _AROUND))
        end = _word_end(text, match.end() + _AROUND)
        if end <= start or left < end - start:
            continue
        left -= end - start
        spans.append((start, end))
    if len(spans) == 1:
        return [(0, _word_end(text, budget))]
    return _joined(spans)


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that touch become one."""
    joined = spans[:1]
    for start, end in spans[1:]:
        if start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _word_start(text: str, place: int) -> int:
    """Where the word at this place begins, looking back over at most 30 characters."""
    place = max(0, place)
    space = max(text.rfind(mark, max(0, place - 30), place) for mark in (" ", "\n"))
    return space + 1 if space >= 0 else place


def _word_end(text: str, place: int) -> int:
    """Where the word at this place ends, looking ahead over at most 30 characters."""
    if place >= len(text):
        return len(text)
    ends = [text.find(mark, place, place + 30) for mark in (" ", "\n")]
    return min((end for end in ends if end >= 0), default=place)
