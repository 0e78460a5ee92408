"""What stands above the bar: progress, query, need and the document; one piece of safe HTML."""

from builder.judging.queue import GradingProgress, Pair
from builder.settings import Settings
from ui import text
from ui.cards import card_html, place_in_set, question_html, show_all_button
from ui.numbers import count
from ui.sitting import Sitting


def pair_html(settings: Settings, sitting: Sitting, pair: Pair, progress: GradingProgress) -> str:
    """The pair as it is judged: nothing in it tells of ranks, sources or others' grades."""
    terms = text.query_terms(pair.query.text, settings.language)
    card = card_html(pair.document, settings.card, terms, whole=sitting.whole == sitting.name)
    question = question_html(pair.query, _progress_line(pair, progress))
    return f'<div class="gs-pair">{question}{card.html}{show_all_button(card.hidden)}</div>'


def _progress_line(pair: Pair, progress: GradingProgress) -> str:
    """Where one is: this query, this sitting, the whole, and the pace."""
    pace = progress.seconds_a_pair
    place = (
        _part(place_in_set(pair)),
        _part(text.inline(", ".join(pair.query.tags)) if pair.query.tags else "", wide=True),
        _part(f"{count(pair.left_in_query)} to grade here"),
    )
    whole = (
        _part(f"{count(progress.graded)} of {count(progress.total)}"),
        _part(f"{count(progress.sitting)} this sitting", wide=True),
        _part(f"{pace:.0f} s a pair" if pace else "", wide=True),
    )
    return f'<div class="gs-progress"><p>{"".join(place)}</p><p>{"".join(whole)}</p></div>'


def _part(html: str, *, wide: bool = False) -> str:
    """A part of the line, behind a dot if it is not the first; `wide`: not on a phone."""
    kind = "gs-part gs-wide" if wide else "gs-part"
    return f'<span class="{kind}">{html}</span>' if html else ""
