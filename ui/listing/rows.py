"""The query and its documents, as one piece of safe HTML; the script puts buttons into it."""

from builder.judging.queue import Pair
from builder.settings import Settings
from ui import text
from ui.cards import card_html, place_in_set, question_html, show_all_button
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
    question = question_html(first.pair.query, _place(first.pair))
    return f'<div class="gs-pair gs-rows">{question}{"".join(rows)}</div>'


def _place(pair: Pair) -> str:
    tags = f'<span class="gs-part">{text.inline(", ".join(pair.query.tags))}</span>'
    return (
        f'<div class="gs-progress"><p><span class="gs-part">{place_in_set(pair)}</span>'
        f"{tags if pair.query.tags else ''}</p></div>"
    )


def _row(settings: Settings, listing: Listing, row: Row, terms: Terms, place: int) -> str:
    whole = row.name in listing.whole
    card = card_html(row.pair.document, settings.card, terms, whole=whole, budget=FOLD_BUDGET)
    label = f"Document {count(place)} of {count(len(listing.rows))}"
    return (
        f'<article class="gs-row" data-row="{row.name}" tabindex="-1" aria-label="{label}">'
        f'{card.html}{show_all_button(card.hidden)}<div class="gs-row-bar"></div></article>'
    )
