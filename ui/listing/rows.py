"""The query and its documents, as one piece of safe HTML; the script puts buttons into it."""

from html import escape

from builder.judging.queue import Pair
from builder.settings import Settings
from ui import text
from ui.cards import card_html
from ui.listing.state import Listing, Row
from ui.marking import Terms
from ui.numbers import count

FOLD_BUDGET = 450
"""Characters of a text in the list: three or four documents stand on one screen."""


def rows_html(settings: Settings, listing: Listing) -> str:
    """All of the list: nothing in it tells of ranks, sources or others' grades."""
    first = next(iter(listing.rows.values()), None)
    if first is None:
        return ""
    terms = text.query_terms(first.pair.query.text, settings.language)
    rows = [
        _row(settings, listing, row, terms, place)
        for place, row in enumerate(listing.rows.values(), start=1)
    ]
    return f'<div class="gs-pair gs-rows">{_question(first.pair)}{"".join(rows)}</div>'


def _question(pair: Pair) -> str:
    """The query and its need, in sight however far one scrolls."""
    query = pair.query
    words, need = escape(text.clean(query.text)), escape(text.clean(query.need))
    place = f"Query {count(pair.query_position)} of {count(pair.n_queries)}"
    tags = f'<span class="gs-part">{text.inline(", ".join(query.tags))}</span>'
    needed = f'<p class="gs-need" dir="auto"><b>Need</b> {need}</p>' if need else ""
    return (
        f'<div class="gs-question"><div class="gs-progress"><p><span class="gs-part">{place}</span>'
        f"{tags if query.tags else ''}</p></div>"
        f'<h1 class="gs-query" dir="auto">{words}</h1>{needed}</div>'
    )


def _row(settings: Settings, listing: Listing, row: Row, terms: Terms, place: int) -> str:
    whole = row.name in listing.whole
    card = card_html(row.pair.document, settings.card, terms, whole=whole, budget=FOLD_BUDGET)
    label = f"Document {count(place)} of {count(len(listing.rows))}"
    return (
        f'<article class="gs-row" data-row="{row.name}" tabindex="-1" aria-label="{label}">'
        f'{card.html}{_show_all(card.hidden)}<div class="gs-row-bar"></div></article>'
    )


def _show_all(hidden: int) -> str:
    if not hidden:
        return ""
    return (
        '<button type="button" class="gs-key gs-all" data-press="a" aria-keyshortcuts="A">'
        f"<kbd>A</kbd><span>Show all ({count(hidden)} more characters)</span></button>"
    )
