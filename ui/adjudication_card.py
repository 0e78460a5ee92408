"""What stands above the bar of Adjudicate: query, what the raters said, document; safe HTML."""

from collections.abc import Iterator
from html import escape

from builder.judging.adjudication import Decision, Dispute, Opinion
from builder.settings import Settings
from ui import text
from ui.cards import card_html, question_html, show_all_button
from ui.deciding import Deciding
from ui.guidelines import local_time
from ui.numbers import count
from ui.text import clean, inline


def dispute_html(settings: Settings, deciding: Deciding, dispute: Dispute, n_decided: int) -> str:
    """The pair with both sides; who graded is not told, nor who ranks the document where."""
    terms = text.query_terms(dispute.query.text, settings.language)
    whole = deciding.whole == deciding.name
    card = card_html(dispute.document, settings.card, terms, whole=whole)
    question = question_html(dispute.query, _progress(deciding, n_decided))
    parts = (question, opinions_html(settings, dispute), card.html, show_all_button(card.hidden))
    return f'<div class="gs-pair">{"".join(parts)}</div>'


def opinions_html(settings: Settings, dispute: Dispute) -> str:
    """What was said of the pair, and what has to be known before one decides."""
    said = "".join(_opinion(settings, opinion) for opinion in dispute.opinions)
    told = "".join(f'<p class="gs-muted">{line}</p>' for line in _remarks(settings, dispute))
    rows = f'<ul aria-label="What was said">{said}</ul>' if said else ""
    return f'<div class="gs-sides-said">{rows}{told}</div>'


def decision_line(settings: Settings, decision: Decision) -> str:
    """What was decided, why, by whom and when."""
    grade = _grade(settings, decision.grade)
    when = local_time(decision.decided_at, settings.timezone)
    why = f", because: {inline(decision.reason)}" if decision.reason else ""
    return f"Decided {grade}{why} \u00b7 {inline(decision.adjudicator)}, {when}"


def _opinion(settings: Settings, opinion: Opinion) -> str:
    said = "<b>Can't judge</b>" if opinion.grade is None else _grade(settings, opinion.grade)
    facts = " \u00b7 ".join(_facts(settings, opinion))
    more = "".join(f" \u00b7 {fact}" for fact in _more_facts(opinion))
    words = "\n".join(part for part in (opinion.reason, opinion.comment) if part)
    quote = f'<div class="gs-quote" dir="auto">{escape(clean(words))}</div>' if words else ""
    left_out = " gs-left-out" if opinion.excluded else ""
    told = f'<span class="gs-muted">{facts}<span class="gs-wide">{more}</span></span>'
    return f'<li class="gs-opinion{left_out}">{said} {told}{quote}</li>'


def _facts(settings: Settings, opinion: Opinion) -> Iterator[str]:
    """Where it comes from, and when."""
    if opinion.own:
        yield "yours"
    if opinion.kind == "import":
        yield "imported"
    if opinion.excluded:
        yield "left out of aggregation"
    yield local_time(opinion.moment, settings.timezone)


def _more_facts(opinion: Opinion) -> Iterator[str]:
    """What a phone has no room for: how long it was looked at, and under which guidelines."""
    if opinion.milliseconds is not None:
        yield f"{opinion.milliseconds / 1000:.0f} s"
    if opinion.guidelines_version is not None:
        yield f"guidelines {count(opinion.guidelines_version)}"


def _remarks(settings: Settings, dispute: Dispute) -> Iterator[str]:
    if dispute.own is not None:
        yield "You graded this pair yourself. S leaves it to somebody else."
    if dispute.decision is not None:
        yield f"{decision_line(settings, dispute.decision)}. Another grade replaces it."
    elif dispute.retired:
        yield "Its query is retired: nobody has to decide."
    elif not dispute.is_disputed:
        yield "These grades are no dispute: the rule of aggregation settles them. You may decide."


def _grade(settings: Settings, grade: int) -> str:
    return f"<b>{grade}</b> {inline(settings.grades.names[grade])}"


def _progress(deciding: Deciding, n_decided: int) -> str:
    """How many wait, and how many are decided."""
    waiting = len(deciding.queue)
    tags = ", ".join(deciding.dispute.query.tags) if deciding.dispute else ""
    more = f'<span class="gs-part gs-wide">{inline(tags)}</span>' if tags else ""
    verb = "waits" if waiting == 1 else "wait"
    return (
        f'<div class="gs-progress"><p><span class="gs-part">{count(waiting)} {verb} for a '
        f"decision</span>{more}</p><p>{count(n_decided)} decided</p></div>"
    )
