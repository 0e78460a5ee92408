"""What the filters rejected: every query with its reasons, to be looked through and taken away."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import streamlit as st

from builder.synthesis.candidates import Candidate, candidates
from builder.workspace import Workspace
from ui.downloads import Sheet, file_name, titled_csv
from ui.frame import muted
from ui.numbers import count
from ui.synthesis.words import queries_of, reason_name
from ui.tables import Column, Html, shortened, table, with_note
from ui.text import inline

AT_ONCE = 25
MOST = 2000
"""Queries that the page looks through; the file holds all."""
_COLUMNS = [Column("query"), Column("why"), Column("type"), Column("document"), Column("run")]
_LONGEST_DETAIL = 300
_SHOWN = "rejected_shown"


def show_rejected(workspace: Workspace) -> None:
    """The rejected queries of the runs that stand, those of one reason if somebody asks for it."""
    found = candidates(workspace, verdict="rejected", limit=MOST + 1)
    if not found:
        return
    titled_csv(
        "Rejected queries",
        partial(_sheet, workspace),
        file_name("rejected-queries"),
        key="rejected",
    )
    with st.container(horizontal=True, vertical_alignment="center", key="rescue"):
        muted("Nothing is thrown away: what a filter rejected wrongly is rescued in Review.")
        st.button("Rescue", icon=":material/arrow_forward:", key="rescue_some", on_click=_to_review)
    if len(found) > MOST:
        muted(f"The first {count(MOST)}. The file holds all.")
    wanted = _ask_which(found[:MOST])
    n = st.session_state.get(_SHOWN, AT_ONCE)
    st.html(rejected_html(wanted[:n]))
    _show_more(wanted, n)


def rejected_html(rejected: Sequence[Candidate]) -> str:
    """Safe HTML of the table."""
    return f'<div class="gs-blocks gs-aside">{table(_COLUMNS, [*map(_row, rejected)])}</div>'


def sheet_of_rejected(rejected: Sequence[Candidate]) -> Sheet:
    """All of them, a row for each reason."""
    columns = ["run", "query", "reason", "detail", "type", "language", "doc_id", "title", "review"]
    rows = [
        [
            *(one.synthesis_id, one.text, reason.filter, reason.detail, one.prompt, one.language),
            *(one.doc_id, one.title, one.review or ""),
        ]
        for one in rejected
        for reason in one.reasons
    ]
    return Sheet(columns, rows)


def _ask_which(found: Sequence[Candidate]) -> list[Candidate]:
    """Those of one reason and with some words, or all."""
    reasons = Counter(reason.filter for one in found for reason in one.reasons)
    with st.container(horizontal=True, key="rejected_filters", vertical_alignment="bottom"):
        words = st.text_input(
            "Search", placeholder="Words of the query", key="rejected_words", max_chars=200
        )
        reason = st.selectbox(
            "Reason",
            [code for code, _ in reasons.most_common()],
            index=None,
            format_func=lambda code: f"{reason_name(code)} ({count(reasons[code])})",
            placeholder="Any",
            key="rejected_reason",
        )
    sought = (words or "").casefold().split()
    return [
        one
        for one in found
        if (reason is None or any(why.filter == reason for why in one.reasons))
        and all(word in one.text.casefold() for word in sought)
    ]


def _row(one: Candidate) -> list[str]:
    title = one.title or one.doc_id
    return [
        shortened(one.text) if one.text.strip() else with_note("no text", ""),
        _why(one),
        one.prompt,
        shortened(title),
        count(one.synthesis_id),
    ]


def _why(one: Candidate) -> Html:
    """The decisive reason with its detail, and which others there are."""
    first, *others = one.reasons
    more = ", ".join(dict.fromkeys(reason_name(reason.filter) for reason in others))
    rescued = "rescued in review" if one.review == "accepted" else ""
    lines = [_cut(first.detail), f"also {more}" if more else "", rescued]
    told = "<br>".join(inline(line) for line in lines if line)
    return with_note(reason_name(first.filter), Html(told))


def _cut(detail: str) -> str:
    """A detail may quote a query, which a model may have made as long as it liked."""
    line = " ".join(detail.split())
    return line if len(line) <= _LONGEST_DETAIL else line[:_LONGEST_DETAIL] + "\u2026"


def _to_review() -> None:
    """The view where a reviewer sees what the filters rejected."""
    st.session_state["view"], st.session_state["review_state"] = "review", "rejected"


def _show_more(wanted: Sequence[Candidate], shown: int) -> None:
    if not wanted:
        muted("Nothing fits.")
    elif len(wanted) > shown:
        st.button("Show more", key="rejected_more", on_click=_more, args=(shown,))
        muted(f"{count(shown)} of {queries_of(len(wanted))}.")


def _more(shown: int) -> None:
    st.session_state[_SHOWN] = shown + AT_ONCE


def _sheet(workspace: Workspace) -> Sheet:
    return sheet_of_rejected(candidates(workspace, verdict="rejected"))
