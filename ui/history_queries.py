"""What one said of whole queries, on the page My grades: seen, and taken back."""

import uuid
from html import escape

import streamlit as st

from builder.judging.naming import query_name
from builder.judging.own_queries import own_query_words, take_back_query
from builder.store.query_outcomes import OwnOutcome
from builder.workspace import Workspace
from ui.frame import in_callback, muted, note
from ui.guidelines import local_time
from ui.sitting import current_sitting, shortened
from ui.text import clean

_SAID = "history_query_said"
_WORDS = {"unclear": "Unclear", "out_of_scope": "Out of scope"}


def show_query_words(workspace: Workspace, rater: str) -> None:
    """Each query that one called unclear or out of scope; a press takes the word back."""
    if said := st.session_state.pop(_SAID, None):
        note(said)
    words = own_query_words(workspace, rater)
    muted("Queries that you called unclear or out of scope: you are not asked for their pairs.")
    for word in words:
        with st.container(key=f"query_word_{query_name(word.query_id)}", gap="small"):
            st.html(word_html(workspace, word))
            if word.stands:
                _take_back_button(workspace, rater, word)
    if not words:
        note("You have said nothing of a whole query.")


def word_html(workspace: Workspace, word: OwnOutcome) -> str:
    """Safe HTML of what one says of a query."""
    facts = [local_time(word.moment, workspace.settings.timezone)]
    if not word.stands:
        facts.append("an analyst has decided since")
    reason = f'<div class="gs-quote" dir="auto">{escape(clean(word.reason))}</div>'
    told = " \u00b7 ".join(facts)
    return (
        f'<div class="gs-entry"><div class="gs-entry-query" dir="auto">{escape(clean(word.query))}'
        f'</div><div class="gs-said"><b>{_WORDS[word.outcome]}</b> '
        f'<span class="gs-muted">{told}</span></div>'
        f"{reason if word.reason else ''}</div>"
    )


def _take_back_button(workspace: Workspace, rater: str, word: OwnOutcome) -> None:
    st.button(
        "Take back",
        key=f"take_back_{query_name(word.query_id)}",
        type="tertiary",
        on_click=in_callback(_take_back),
        args=(workspace, rater, word, uuid.uuid4().hex),
    )


def _take_back(workspace: Workspace, rater: str, word: OwnOutcome, token: str) -> None:
    take_back_query(workspace, rater, word.query_id, token=token)
    # The grading page's Undo is for what still stands.
    current_sitting(workspace, rater).flagged.pop(word.query_id, None)
    st.session_state[_SAID] = (
        f"Taken back: the pairs of \u201c{shortened(word.query)}\u201d come again."
    )
