"""Queries as safe HTML: in the list, at the head of their own page, and what was done to them."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from builder.curation import PRIORITIES, Conflict, ListedQuery
from builder.judging.guidelines import DiffLine, LineKind
from builder.store.activity import Entry
from builder.store.query_words import Word
from ui.guidelines import diff_html, local_time
from ui.numbers import count
from ui.text import clean, inline

ATTENTION = {
    "set_aside": "waits for a decision",
    "questioned": "a rater doubts it",
    "given_up": "nobody could judge",
    "no_pairs": "no pairs yet",
    "open": "being graded",
    "not_asked": "asked of nobody yet",
    "complete": "complete",
    "retired": "retired",
}
_MARKED = ("set_aside", "questioned", "given_up", "no_pairs")
OUTCOMES = {
    "unclear": "unclear",
    "out_of_scope": "out of scope",
    "cannot_judge": "can't judge",
}
_LONGEST_SHOWN = 240


def listed_html(listed: ListedQuery) -> str:
    """A query as a row of the list."""
    query = listed.query
    return (
        f'<div class="gs-listed"><div><div class="gs-listed-text" dir="auto">{_short(query.text)}'
        f"</div>{need_html(query.need)}{tags_html(query.tags)}</div>"
        f'<div class="gs-listed-facts">{state_html(listed)}<p>{facts(listed)}</p></div></div>'
    )


def head_html(listed: ListedQuery) -> str:
    """A query whole, at the head of its own page."""
    query = listed.query
    need = escape(clean(query.need)) or "No need written down."
    return (
        f'<div class="gs-listed-whole"><div class="gs-query" dir="auto">{escape(clean(query.text))}'
        f'</div><div class="gs-need" dir="auto">{need}</div>{tags_html(query.tags)}'
        f'<p class="gs-muted">{state_html(listed)} {inline(query.query_id)} \u00b7 '
        f"source {inline(query.source)} \u00b7 {facts(listed)}</p></div>"
    )


def short_html(listed: ListedQuery) -> str:
    """A query in two lines: its text, its id and what there is of it."""
    query = listed.query
    return (
        f'<div class="gs-listed-text" dir="auto">{_short(query.text)}</div>'
        f'<p class="gs-muted">{inline(query.query_id)} \u00b7 {facts(listed)}</p>'
    )


def state_html(listed: ListedQuery) -> str:
    """Why the query stands where it does; marked where somebody has to act."""
    attention, told = listed.query.attention, ATTENTION[listed.query.attention]
    kind = "gs-mark" if attention in _MARKED else "gs-state"
    if attention == "given_up":
        told = f"{plural(listed.counts.given_up, 'pair')} {told}"
    return f'<span class="{kind}">{told}</span>'


def tags_html(tags: Sequence[str]) -> str:
    """Tags side by side."""
    told = "".join(f"<span>{inline(tag)}</span>" for tag in tags)
    return f'<div class="gs-tags">{told}</div>' if told else ""


def need_html(need: str) -> str:
    """A need in few lines, "" where there is none."""
    return f'<div class="gs-listed-need" dir="auto">{_short(need)}</div>' if need else ""


def facts(listed: ListedQuery) -> str:
    """Pairs, grades, what is complete, and a priority that is not the usual one; of our own."""
    counts, share = listed.counts, listed.complete_share
    if share is None:
        has_none = not counts.pairs and listed.query.attention != "no_pairs"
        parts = ["no pairs"] if has_none else []
    else:
        asked = counts.pairs - counts.unasked
        done = f"{count(counts.complete)} of {plural(asked, 'pair')} complete"
        parts = [f"{done} ({round(100 * share)}\u00a0%)", plural(counts.grades, "grade")]
    if counts.unasked:
        parts.append(f"{plural(counts.unasked, 'pair')} of a model's own, not asked of raters")
    if listed.query.priority != 1:
        parts.append(PRIORITIES[listed.query.priority])
    return " \u00b7 ".join(parts)


def words_html(words: Iterable[Word], zone: str) -> str:
    """What raters say: who, what, why, and when."""
    return '<ul class="gs-words">' + "".join(_word(word, zone) for word in words) + "</ul>"


def history_html(entries: Sequence[Entry], zone: str) -> str:
    """What was done to a query, newest first."""
    return '<div class="gs-past">' + "".join(_entry(entry, zone) for entry in entries) + "</div>"


def conflicts_html(conflicts: Iterable[Conflict | Mapping[str, Any]]) -> str:
    """Who graded which document differently for two queries, and which grade stands."""
    told = "".join(_conflict(one) for one in conflicts)
    return f'<ul class="gs-words">{told}</ul>' if told else ""


def plural(number: int, noun: str) -> str:
    """A number and its noun: 1 pair, 2 pairs."""
    return f"{count(number)} {noun}" if number == 1 else f"{count(number)} {noun}s"


def _short(text: str) -> str:
    line = " ".join(clean(text).split())
    return escape(line if len(line) <= _LONGEST_SHOWN else line[:_LONGEST_SHOWN] + "\u2026")


def _word(word: Word, zone: str) -> str:
    return (
        f"<li><b>{inline(word.rater)}</b>: {OUTCOMES[word.outcome]} "
        f'<span class="gs-muted">{local_time(word.moment, zone)}</span>'
        f'<div class="gs-quote" dir="auto">{escape(clean(word.reason))}</div></li>'
    )


def _conflict(one: Conflict | Mapping[str, Any]) -> str:
    said = one if isinstance(one, Mapping) else _as_mapping(one)
    return (
        f"<li><b>{inline(str(said['rater']))}</b> on {inline(str(said['doc_id']))}: "
        f"{int(said['kept'])} for the one that stays, {int(said['merged'])} for the other; "
        f"<b>{int(said['stands'])}</b> stands, given later</li>"
    )


def _as_mapping(one: Conflict) -> Mapping[str, Any]:
    return {
        "rater": one.rater,
        "doc_id": one.doc_id,
        "kept": one.kept,
        "merged": one.merged,
        "stands": one.stands,
    }


def _entry(entry: Entry, zone: str) -> str:
    return (
        f'<div class="gs-past-entry"><p><b>{inline(entry.actor)}</b> {_done(entry)} '
        f'<span class="gs-muted">{local_time(entry.happened_at, zone)}</span></p>'
        f"{_more(entry.details)}</div>"
    )


def _done(entry: Entry) -> str:
    """What was done, as the rest of a sentence."""
    details = entry.details
    if entry.action == "query.edit":
        names = ", ".join(name for name in ("text", "need", "tags") if name in details["after"])
        return f"changed {names}" if names else "asked raters again"
    if entry.action == "query.priority":
        return f"let it come {PRIORITIES[details['after']['priority']]}"
    if entry.action == "query.merge":
        return f"merged it into {inline(str(details['into']))}"
    if entry.action == "query.absorb":
        return (
            f"merged {inline(str(details['from']))} into it: "
            f"{plural(details['new_pairs'], 'new pair')}, {plural(details['standing'], 'grade')}"
        )
    if entry.action == "query.ask_more":
        return f"asked two more raters about {inline(str(details['doc_id']))}"
    return _PLAIN.get(entry.action, inline(entry.action))


_PLAIN = {
    "query.add": "added it",
    "query.retire": "retired it",
    "query.restore": "brought it back",
    "query.ask_again": "asked raters again",
}


def _more(details: Mapping[str, Any]) -> str:
    """Before and after, reasons, and what was warned of."""
    parts = []
    if grades := details.get("grades_before", 0):
        parts.append(_muted(f"{plural(grades, 'grade')} had been given under the old text."))
    if reason := details.get("reason"):
        parts.append(f'<div class="gs-quote" dir="auto">{escape(clean(str(reason)))}</div>')
    parts.append(_difference(details))
    parts.append(conflicts_html(details.get("conflicts", ())))
    parts.append(_dismissed(details.get("dismissed")))
    return "".join(parts)


def _difference(details: Mapping[str, Any]) -> str:
    lines = [
        DiffLine(kind, f"{name}: {_told(details[when][name])}")
        for name in ("text", "need", "tags")
        for when, kind in _WHEN
        if name in details.get(when, {})
    ]
    return diff_html(lines) if lines else ""


_WHEN: tuple[tuple[str, LineKind], ...] = (("before", "removed"), ("after", "added"))


def _told(value: str | list[str]) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def _dismissed(said: Any) -> str:
    if isinstance(said, int):
        return _muted(f"{plural(said, 'word')} of raters set aside.")
    if not said:
        return ""
    told = ", ".join(f"{inline(str(one['rater']))}: {OUTCOMES[one['said']]}" for one in said)
    return _muted(f"Considered: {told}")


def _muted(html: str) -> str:
    return f'<p class="gs-muted">{html}</p>'
