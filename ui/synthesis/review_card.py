"""What stands above the bar of the review: query, what is known of it, passage; safe HTML."""

from collections.abc import Iterable, Iterator
from html import escape

from builder.store.synthetic_queries import Finding
from builder.synthesis.language_names import NAMES
from builder.synthesis.review import Candidate, Sight
from ui import text
from ui.marking import Terms
from ui.numbers import count
from ui.synthesis.words import reason_name
from ui.text import clean, inline


def candidate_html(candidate: Candidate, sight: Sight) -> str:
    """The query, type, language and flags in words; the passage with the query's words marked."""
    terms = text.query_terms(candidate.text, candidate.language)
    folded = text.folded(candidate.passage, terms)
    title = " ".join(candidate.title.split()) or candidate.doc_id
    begins = text.GAP if candidate.first_character else ""
    return (
        '<div class="gs-pair"><div class="gs-question">'
        f'{_progress(sight)}<h2 class="gs-query" dir="auto">{escape(clean(candidate.text))}</h2>'
        f'<p class="gs-desk-facts">{_facts(candidate)}</p></div>{_findings_html(candidate)}'
        f'<div class="gs-doc"><h3 class="gs-title" dir="auto">{text.marked(title, terms)}</h3>'
        f"{text.block(begins + folded.html)}</div>{_whole(candidate, terms, folded.hidden)}</div>"
    )


def language_name(code: str) -> str:
    """A language in English; its code where the name is not known."""
    return NAMES.get(code, code)


def _progress(sight: Sight) -> str:
    """Which one it is of how many, and what was said of the others."""
    progress, parts = sight.progress, []
    done = progress.accepted + progress.rejected
    place = f"{count(min(done + 1, progress.total))} of {count(progress.total)}"
    if sight.later:
        parts.append(f"{count(sight.later)} put off")
    parts += [f"{count(progress.accepted)} accepted", f"{count(progress.rejected)} rejected"]
    told = "".join(f'<span class="gs-part">{part}</span>' for part in parts)
    return (
        f'<div class="gs-progress"><p><span class="gs-part">{place}</span></p><p>{told}</p></div>'
    )


def _facts(candidate: Candidate) -> str:
    """Type, language, how many of its words the passage has, and who finds the document."""
    parts = [
        _part(inline(candidate.prompt.replace("_", " "))),
        _part(inline(language_name(candidate.language))),
    ]
    leakage = candidate.measured.get("leakage")
    if isinstance(leakage, int | float):
        parts.append(_part(f"{round(100 * leakage)}\u00a0% of its words stand in the passage"))
    ranks = candidate.measured.get("ranks")
    if isinstance(ranks, dict) and ranks:
        found = ", ".join(f"{inline(name)} {_rank(rank)}" for name, rank in sorted(ranks.items()))
        parts.append(_part(f"document found by {found}", wide=True))
    return "".join(parts)


def _part(html: str, *, wide: bool = False) -> str:
    """A part of a line, behind a dot if it is not the first; `wide`: not on a phone."""
    return f'<span class="gs-part{" gs-wide" * wide}">{html}</span>'


def _rank(rank: object) -> str:
    return f"at rank {count(rank)}" if isinstance(rank, int) else "not"


def _findings_html(candidate: Candidate) -> str:
    """Why the filters rejected it, and what they noticed."""
    rows = [
        *_rows("Rejected", candidate.reasons),
        *_rows("Noticed", candidate.flags),
    ]
    return f'<ul class="gs-noticed">{"".join(rows)}</ul>' if rows else ""


def _rows(word: str, findings: Iterable[Finding]) -> Iterator[str]:
    for found in findings:
        detail = f' <span class="gs-muted">{inline(found.detail)}</span>' if found.detail else ""
        name = inline(reason_name(found.filter))
        yield f'<li><span class="gs-mark">{word}</span> {name}{detail}</li>'


def _whole(candidate: Candidate, terms: Terms, hidden: int) -> str:
    """The rest of a long passage, opened where one wants it."""
    if not hidden:
        return ""
    return (
        '<details class="gs-whole"><summary>The whole passage '
        f"({count(hidden)} more characters)</summary>"
        f"{text.block(text.marked(candidate.passage, terms))}</details>"
    )
