"""Pairs of which clicks say otherwise than their grade, and what became of those sent again."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from builder.crosscheck import send_to_recheck, take_back_recheck
from builder.crosscheck.click_wording import rechecks_in_words, settled_in_words
from builder.people import Person
from builder.store.documents import get_document
from builder.workspace import Workspace
from ui.cards import filled
from ui.frame import in_callback, muted, note, section
from ui.jobs import clock
from ui.mining.pairs import ratio_interval, sure_in_words, two_decimals
from ui.numbers import MISSING, count, count_of, in_words, percent, percent_interval
from ui.tables import Column, shortened, table, with_note
from ui.text import block, clean, folded, inline, marked, query_terms

AT_ONCE = 10
SENT_AT_ONCE = 50
"""Pairs that wait for their second look, on the page."""
FEW_LETTERS = 420
"""Of a text: enough to see what it is about."""
_SHOWN = "contradictions_shown"
_SAID = "rechecks_said"
_NOT_SENT = {
    "nobody_left": "everybody who counts has graded it: decide it on the page Adjudicate",
    "waiting": "waits for its second look already",
    "adjudicated": "an analyst decided it",
    "set_aside": "its query waits for an analyst",
    "cannot_judge": "too many raters could not judge it",
    "no_contradiction": "is no contradiction any more",
}
"""Why a pair cannot be sent again."""
_NOT_TAKEN = {"answered": "graded since", "not_sent": "not sent"}

Contradiction = Mapping[str, Any]
Pair = tuple[str, str]


def show_contradictions(
    workspace: Workspace, person: Person, contradictions: Sequence[Contradiction]
) -> None:
    """The pairs, the strongest first, each with a way to ask once more."""
    section("Where they contradict each other")
    _show_said()
    if not contradictions:
        note("Nowhere do clicks contradict a grade strongly.")
        return
    muted(
        "Two grades apart, or 1 against 2 where clicks are at least 80 % sure; strength is the "
        "difference times how sure the weak grade is. Clicks may be wrong too: a good title is "
        "clicked whatever stands below."
    )
    sendable = [row for row in contradictions if row["sendable"] is None]
    _offer_strongest(workspace, person, len(sendable))
    n = st.session_state.get(_SHOWN, AT_ONCE)
    for row in contradictions[:n]:
        _show_row(workspace, person, row)
    if more := min(AT_ONCE, max(0, len(contradictions) - n)):
        st.button(f"Show {count(more)} more", key="more_contradictions", on_click=_more)
        muted(f"{count(n)} of {count(len(contradictions))} are shown.")


def show_rechecks(
    workspace: Workspace, person: Person, rechecks: Sequence[Mapping[str, Any]]
) -> None:
    """What was sent: what waits, and what the second look said."""
    if not rechecks:
        return
    section("Asked once more")
    waiting = [row for row in rechecks if row["state"] == "waiting"]
    answered = [row for row in rechecks if row["state"] != "waiting"]
    muted(rechecks_in_words(rechecks))
    if answered:
        st.html(answered_html(workspace, answered))
    if any(row["disputed"] for row in answered):
        st.page_link("ui/pages/adjudicate.py", label="Adjudicate", icon=":material/arrow_forward:")
    if waiting:
        with st.expander(f"{count_of(len(waiting), 'pair')} waiting"):
            _show_all_waiting(workspace, person, waiting)


def _show_all_waiting(
    workspace: Workspace, person: Person, waiting: Sequence[Mapping[str, Any]]
) -> None:
    for row in waiting[:SENT_AT_ONCE]:
        _show_waiting(workspace, person, row)
    if len(waiting) > SENT_AT_ONCE:
        muted(f"{count(SENT_AT_ONCE)} of {count(len(waiting))} that wait are shown.")
    if len(waiting) > 1:
        st.button(
            "Take back all that wait",
            key="take_back_all",
            icon=":material/undo:",
            on_click=in_callback(_take_back),
            args=(workspace, person, None),
        )


def contradiction_html(workspace: Workspace, row: Contradiction) -> str:
    """Safe HTML: query, document, both grades and the clicks behind the weak one."""
    with workspace.store.read() as connection:
        document = get_document(connection, row["doc_id"])
    text = "" if document is None else filled(workspace.settings.card.text, document)
    terms = query_terms(row["query"])
    short, rest = folded(text, terms, FEW_LETTERS), ""
    if short.hidden:
        rest = (
            f"<details><summary>Whole text ({count(len(clean(text)))} characters)</summary>"
            f"{block(marked(text))}</details>"
        )
    names = workspace.settings.grades.names
    return (
        f'<div class="gs-entry gs-contradiction">{_pair(row)}{_sides(row, names)}'
        f'<p class="gs-muted">{evidence_in_words(row["evidence"])}</p>'
        f"{block(short.html, kind='gs-text gs-short')}{rest}</div>"
    )


def evidence_in_words(evidence: Mapping[str, Any]) -> str:
    """Safe HTML: the clicks behind a weak grade, in a line."""
    ctr, coec = evidence["ctr"], evidence["coec"]
    expected = f"{evidence['expected_clicks']:,.1f}"
    parts = [
        f"<b>{count_of(evidence['clicks'], 'click')}</b> of "
        f"{count_of(evidence['impressions'], 'impression')} in "
        f"{count_of(evidence['sessions'], 'session')}",
        f"{expected} expected at its ranks",
        f"CTR {percent(ctr['value'])} ({percent_interval(ctr['low'], ctr['high'])})",
    ]
    if coec["value"] is not None:
        span = ratio_interval(coec["low"], coec["high"])
        parts.append(f"COEC {two_decimals(coec['value'])} ({span})")
    if evidence["mean_rank"] is not None:
        parts.append(f"rank {evidence['mean_rank']:.1f} on average")
    if evidence["skipped"]:
        parts.append(f"skipped {count_of(evidence['skipped'], 'time')}")
    return " \u00b7 ".join(parts)


def answered_html(workspace: Workspace, rows: Sequence[Mapping[str, Any]]) -> str:
    """Safe HTML: before, the second look and whose it was, what the pair is settled to and how."""
    columns = [
        Column("query"),
        Column("document"),
        Column("clicks", numeric=True),
        Column("before", numeric=True),
        Column("second look", numeric=True),
        Column("now", numeric=True),
        Column("asked"),
    ]
    cells = [
        [
            shortened(row["query"]),
            shortened(row["title"] or row["doc_id"]),
            str(row["weak_grade"]),
            str(row["grade"]),
            with_note(", ".join(map(str, row["given"])), ", ".join(row["given_by"])),
            with_note(MISSING if row["result"] is None else str(row["result"]), _settled(row)),
            f"{clock(workspace, row['asked_at'])}, {row['asked_by']}",
        ]
        for row in rows
    ]
    return f'<div class="gs-blocks gs-rechecked">{table(columns, cells)}</div>'


def _settled(row: Mapping[str, Any]) -> str:
    """How the pair is settled, short; the grade itself stands above it, the link below."""
    said = settled_in_words(row).removeprefix("settled by the ").removesuffix(": Adjudicate")
    return said.replace(f": {row['result']}", "", 1)


def sent_in_words(done: Mapping[str, Any]) -> list[str]:
    """What was sent, what was not, and what to do next."""
    said = [f"{count_of(done['sent'], 'pair')} will be asked for once more."]
    left = {reason: n for reason, n in done["not_sent"].items() if n}
    if left:
        told = "; ".join(
            f"{count(n)}: {_NOT_SENT.get(why, in_words(why))}" for why, n in left.items()
        )
        said.append(f"Not sent: {told}.")
    return [*said, done["next"]]


def _pair(row: Mapping[str, Any]) -> str:
    """Safe HTML: query and title."""
    title = row["title"] or row["doc_id"]
    return (
        f'<div class="gs-entry-query" dir="auto">{shortened(row["query"])}</div>'
        f'<div class="gs-entry-title" dir="auto">{shortened(title)}</div>'
    )


def _sides(row: Contradiction, names: Sequence[str]) -> str:
    """Safe HTML: the expert grade against the weak one."""
    grade, weak = row["grade"], row["weak_grade"]
    decided = ", decided by an analyst" if row["adjudicated"] else ""
    return (
        f'<div class="gs-against"><span>Experts <b>{grade}</b> {inline(names[grade])}{decided}'
        f"</span><span>Clicks say <b>{weak}</b>, {sure_in_words(row['confidence'])}</span>"
        f"<span>Strength <b>{row['strength']:.2f}</b></span></div>"
    )


def _show_row(workspace: Workspace, person: Person, row: Contradiction) -> None:
    with st.container(key=f"contradiction_{row['pair_id']}", horizontal=True, gap="small"):
        st.html(contradiction_html(workspace, row))
        if row["sendable"] is None:
            st.button(
                "Ask once more, blind",
                key=f"recheck_{row['pair_id']}",
                on_click=in_callback(_send),
                args=(workspace, person, [(row["query_id"], row["doc_id"])]),
            )
        else:
            muted(_why_not_sendable(workspace, row))


def _why_not_sendable(workspace: Workspace, row: Contradiction) -> str:
    if row["sendable"] == "waiting" and row["recheck"]:
        return f"Asked once more {clock(workspace, row['recheck'])}; waits."
    return f"Cannot be sent: {_NOT_SENT.get(row['sendable'], in_words(row['sendable']))}."


def _offer_strongest(workspace: Workspace, person: Person, n: int) -> None:
    """Send the strongest of those that can be sent."""
    if not n:
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="recheck_strongest"):
        wanted = st.number_input("The strongest", 1, n, min(10, n), key="strongest", width=140)
        st.button(
            "Ask once more, blind",
            type="primary",
            key="recheck_first",
            on_click=in_callback(_send),
            args=(workspace, person, wanted),
        )
        muted(
            "Somebody who has not graded the pair gets it in the usual queue, and is told nothing "
            "of clicks or of the first grade."
        )


def _show_waiting(workspace: Workspace, person: Person, row: Mapping[str, Any]) -> None:
    with st.container(key=f"waiting_{row['pair_id']}", horizontal=True, gap="small"):
        st.html(
            f'<div class="gs-entry">{_pair(row)}<div class="gs-muted">Waits since '
            f"{clock(workspace, row['asked_at'])}, asked by {inline(row['asked_by'])}. Grade then "
            f"{row['grade']}, clicks {row['weak_grade']}.</div></div>"
        )
        st.button(
            "Take back",
            key=f"unsend_{row['pair_id']}",
            icon=":material/undo:",
            on_click=in_callback(_take_back),
            args=(workspace, person, [(row["query_id"], row["doc_id"])]),
        )


def _send(workspace: Workspace, person: Person, pairs: Sequence[Pair] | int) -> None:
    st.session_state[_SAID] = sent_in_words(send_to_recheck(workspace, pairs, person))


def _take_back(workspace: Workspace, person: Person, pairs: Sequence[Pair] | None) -> None:
    done = take_back_recheck(workspace, pairs, person)
    said = [f"{count_of(done['taken_back'], 'pair')} will not be asked for once more."]
    left = {reason: n for reason, n in done["not_taken_back"].items() if n}
    if left:
        told = "; ".join(
            f"{count(n)} {_NOT_TAKEN.get(why, in_words(why))}" for why, n in left.items()
        )
        said.append(f"Left as they are: {told}.")
    st.session_state[_SAID] = said


def _show_said() -> None:
    if said := st.session_state.pop(_SAID, None):
        note(*said)


def _more() -> None:
    st.session_state[_SHOWN] = st.session_state.get(_SHOWN, AT_ONCE) + AT_ONCE
