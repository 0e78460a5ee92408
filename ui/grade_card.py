"""What stands above the bar: progress, query, need and the document; one piece of safe HTML."""

from html import escape

from builder.judging.queue import GradingProgress, Pair
from builder.settings import Settings
from ui import text
from ui.cards import card_html
from ui.numbers import count
from ui.sitting import Sitting


def pair_html(settings: Settings, sitting: Sitting, pair: Pair, progress: GradingProgress) -> str:
    """The pair as it is judged: nothing in it tells of ranks, sources or others' grades."""
    terms = text.query_terms(pair.query.text, settings.language)
    card = card_html(pair.document, settings.card, terms, whole=sitting.whole == sitting.name)
    return (
        f'<div class="gs-pair">{_question(pair, progress)}{card.html}{_show_all(card.hidden)}</div>'
    )


def _show_all(hidden: int) -> str:
    """The button for the rest of a long text; the bar's script hears its clicks."""
    if not hidden:
        return ""
    return (
        '<button type="button" class="gs-key gs-all" data-press="a" aria-keyshortcuts="A">'
        f"<kbd>A</kbd><span>Show all ({count(hidden)} more characters)</span></button>"
    )


def _question(pair: Pair, progress: GradingProgress) -> str:
    query, need = escape(text.clean(pair.query.text)), escape(text.clean(pair.query.need))
    needed = f'<p class="gs-need" dir="auto"><b>Need</b> {need}</p>' if need else ""
    return (
        f'<div class="gs-question">{_progress_line(pair, progress)}'
        f'<h1 class="gs-query" dir="auto">{query}</h1>{needed}</div>'
    )


def _progress_line(pair: Pair, progress: GradingProgress) -> str:
    """Where one is: this query, this sitting, the whole, and the pace."""
    pace = progress.seconds_a_pair
    place = (
        _part(f"Query {count(pair.query_position)} of {count(pair.n_queries)}"),
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
