"""The decisions that stand, newest first: opened again, or taken back."""

from html import escape

import streamlit as st

from builder.judging.adjudication import Decision, decisions, undo_decision
from builder.people import Person
from builder.workspace import Workspace
from ui.adjudication_card import decision_line
from ui.adjudication_presses import PAIR_IN_URL
from ui.deciding import current_deciding
from ui.frame import in_callback, note, show_callback_error
from ui.text import clean

_BEFORE = "decisions_before"
_SAID = "decisions_said"


def show_decisions(workspace: Workspace, person: Person) -> None:
    """A page of them."""
    show_callback_error()
    if said := st.session_state.pop(_SAID, None):
        note(said)
    page = decisions(workspace, st.session_state.get(_BEFORE))
    for decision in page.decisions:
        with st.container(key=f"decided_{decision.adjudication_id}", gap="small"):
            _show_decision(workspace, person, decision)
    if not page.decisions:
        note("Nothing is decided here.", "What you decide is listed here.")
    _page_buttons(page.older)


def _show_decision(workspace: Workspace, person: Person, decision: Decision) -> None:
    line = decision_line(workspace.settings, decision)
    st.html(
        f'<div class="gs-entry"><div class="gs-entry-query" dir="auto">'
        f"{escape(clean(decision.query))}</div>"
        f'<div class="gs-entry-title" dir="auto">{escape(clean(decision.title or decision.doc_id))}'
        f'</div><div class="gs-said">{line}</div></div>'
    )
    with st.container(
        horizontal=True,
        key=f"entry_buttons_decided_{decision.adjudication_id}",
        gap="small",
        vertical_alignment="center",
    ):
        st.button(
            "Open",
            key=f"open_{decision.adjudication_id}",
            type="tertiary",
            on_click=_open,
            args=(decision.pair_id,),
        )
        st.button(
            "Take back",
            key=f"take_back_{decision.adjudication_id}",
            type="tertiary",
            on_click=in_callback(_take_back),
            args=(workspace, person, decision.adjudication_id),
        )


def _open(pair_id: int) -> None:
    # The address then names the pair, and can be passed on.
    st.query_params[PAIR_IN_URL] = str(pair_id)


def _take_back(workspace: Workspace, person: Person, adjudication_id: int) -> None:
    undone = undo_decision(workspace, person, adjudication_id)
    current_deciding(workspace, person.name).is_stale = True
    if undone is None:
        st.session_state[_SAID] = "That stood no more: it was changed or taken back elsewhere."
    else:
        title = undone.title or undone.doc_id
        st.session_state[_SAID] = f"Taken back: the decision on \u201c{title}\u201d."


def _page_buttons(older: int | None) -> None:
    is_newest = st.session_state.get(_BEFORE) is None
    if older is None and is_newest:
        return
    with st.container(horizontal=True, key="decisions_pages"):
        st.button("Newest", disabled=is_newest, key="decisions_newest", on_click=_to, args=(None,))
        st.button(
            "Older", disabled=older is None, key="decisions_older", on_click=_to, args=(older,)
        )


def _to(before: int | None) -> None:
    st.session_state[_BEFORE] = before
