"""Query and document as raters see them, by the template in workspace.toml; safe HTML.

Pictures and links are the only addresses out of a document that a page ever holds: http and https
only, without a referrer, so that no site learns who is grading what.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import urlsplit

from builder.judging.queue import Pair
from builder.settings import Card
from evals.records import Document, Query
from ui import text
from ui.marking import Terms
from ui.numbers import count

LONGEST_ADDRESS = 2000
_DEEPEST = 3
_FIELD = re.compile(r"\{([^{}]+)\}")
# Tabs and line ends too: browsers take them out of an address, and so read another one.
_UNFIT = re.compile(r"[\x00-\x20\x7f\"'<>\\^`{|}]")


@dataclass(frozen=True, slots=True)
class CardHtml:
    """A document as it is shown.

    Attributes:
        html: Safe HTML for `st.html`.
        hidden: How many characters of the text are folded away; 0 when all is shown.
    """

    html: str
    hidden: int


def question_html(query: Query, place: str) -> str:
    """The query and its need, in sight however far one scrolls; `place` is safe HTML above them."""
    words, need = escape(text.clean(query.text)), escape(text.clean(query.need))
    needed = f'<p class="gs-need" dir="auto"><b>Need</b> {need}</p>' if need else ""
    return (
        f'<div class="gs-question">{place}'
        f'<h1 class="gs-query" dir="auto">{words}</h1>{needed}</div>'
    )


def place_in_set(pair: Pair) -> str:
    """Which query this is, as analysts count them: each rater comes to them in another order."""
    return f"Query no. {count(pair.query_position)} in the set of {count(pair.n_queries)}"


def show_all_button(hidden: int) -> str:
    """The button for the rest of a long text, which a bar hears; "" where nothing is hidden."""
    if not hidden:
        return ""
    return (
        '<button type="button" class="gs-key gs-all" data-press="a" aria-keyshortcuts="A">'
        f"<kbd>A</kbd><span>Show all ({count(hidden)} more characters)</span></button>"
    )


def card_html(
    document: Document,
    card: Card,
    terms: Terms = text.NO_TERMS,
    *,
    whole: bool,
    budget: int = text.FOLD_BUDGET,
) -> CardHtml:
    """Title, lines, picture, text and link of a document, with the terms marked.

    Args:
        document: What is shown; all of it is untrusted.
        card: The templates, of which the analyst decides.
        terms: What is marked, as `text.query_terms` gives it.
        whole: Whether a long text is shown to its end.
        budget: About how many characters of a long text are shown otherwise.
    """
    body = filled(card.text, document)
    shown = text.folded(body, terms, len(body) + 1 if whole else budget)
    words = text.block(shown.html) if body.strip() else _NO_TEXT
    title = " ".join(filled(card.title, document).split()) or document.doc_id
    parts = (
        _picture(filled(card.image, document)),
        f'<h2 class="gs-title" dir="auto">{text.marked(title, terms)}</h2>',
        *_lines(card, document, terms),
        words,
        _link(filled(card.link, document)),
    )
    return CardHtml(f'<div class="gs-doc">{"".join(parts)}</div>', shown.hidden)


def filled(template: str, document: Document) -> str:
    """The template with the document's fields in it, as plain text; "" if all of them are empty."""
    values = {name: readable(_value(document, name)) for name in _FIELD.findall(template)}
    if values and not any(value.strip() for value in values.values()):
        return ""
    return _FIELD.sub(lambda match: values[match[1]], template)


def readable(value: Any, depth: int = 0) -> str:
    """A JSON value as people read it: 3.0 is 3, lists run on with commas, null is empty."""
    if value is None or depth > _DEEPEST:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, Mapping):
        named = ((key, readable(part, depth + 1)) for key, part in value.items())
        return "; ".join(f"{key}: {part}" for key, part in named if part.strip())
    if isinstance(value, list | tuple):
        parts = (readable(part, depth + 1) for part in value)
        return ", ".join(part for part in parts if part.strip())
    return str(value)


def safe_address(address: str) -> str | None:
    """The address if it is one of the web, http or https, else None."""
    kept = address.strip()
    if len(kept) > LONGEST_ADDRESS or _UNFIT.search(kept):
        return None
    try:
        parts = urlsplit(kept)
    except ValueError:
        return None
    return kept if parts.scheme in ("http", "https") and parts.hostname else None


_NO_TEXT = text.block("This document has no text.", kind="gs-muted")


def _value(document: Document, field: str) -> Any:
    own = {"title": document.title, "text": document.text, "doc_id": document.doc_id}
    return own[field] if field in own else document.metadata.get(field)


def _lines(card: Card, document: Document, terms: Terms) -> Iterator[str]:
    """The small lines; values are kept apart from the words around them, whichever way they run."""
    for template in card.lines:
        if not filled(template, document).strip():
            continue
        # Cut at its fields, a template has plain words at even places and fields at odd ones.
        pieces = _FIELD.split(template)
        html = "".join(
            _isolated(readable(_value(document, piece)), terms) if n % 2 else escape(piece)
            for n, piece in enumerate(pieces)
        )
        yield f'<p class="gs-line" dir="auto">{html}</p>'


def _isolated(value: str, terms: Terms) -> str:
    return f"<bdi>{text.marked(' '.join(value.split()), terms)}</bdi>"


def _picture(address: str) -> str:
    """The picture in a box of fixed size, so that nothing moves when it arrives.

    Its address stands beside it: the page's script asks for it, and without a referrer, of which
    Streamlit's sanitiser would take the rule away.
    """
    source = safe_address(address)
    if source is None:
        return ""
    return (
        f'<img class="gs-picture" data-src="{escape(source)}" alt="Picture" '
        'width="144" height="144" loading="lazy" decoding="async">'
    )


def _link(address: str) -> str:
    """The link to the document itself; it says where it leads."""
    target = safe_address(address)
    if target is None:
        return ""
    host = urlsplit(target).hostname or ""
    return (
        f'<p class="gs-line"><a class="gs-link" href="{escape(target)}" target="_blank" '
        f'rel="noopener noreferrer">Open {text.inline(host)}</a></p>'
    )
