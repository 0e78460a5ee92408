"""Search the corpus from the grading page, and add a document that the pool lacks.

It stands in a dialog: while one is open no key grades. The dialog and the button that opens it are
fragments of their own, so that a grade draws nothing of them and a search draws no pair.
"""

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from builder.judging.naming import pair_name, query_name
from builder.people import Person
from builder.pooling.corpus_search import Found, add_by_rater, search_corpus
from builder.settings import Settings
from builder.workspace import Workspace
from evals.records import Query
from ui import text
from ui.cards import filled
from ui.frame import errors_shown, in_callback, muted, show_callback_error
from ui.grade_presses import WANTED_IN_URL
from ui.sitting import current_sitting

_ADDED = "corpus_search_added"
_IS_NEW = "corpus_search_is_new"
_SHOWN = "corpus_search_shown"
_PAGE = 10
_MOST = 100
_TEXT_BUDGET = 300
_LONGEST_SEARCH = 1000


@st.fragment
def show_corpus_search(workspace: Workspace, person: Person) -> None:
    """The button that opens the search for the query on screen."""
    if st.session_state.pop(_IS_NEW, False):
        # The dialog was closed, and the page behind it counts one pair too few.
        st.rerun(scope="app")
    with st.container(key="corpus_search"):
        asked = st.button("Search the corpus", icon=":material/search:", type="tertiary")
    if not asked:
        return
    pair = current_sitting(workspace, person.name).pair
    if pair is None:
        muted("No query is on screen to search for.")
        return
    st.session_state[_SHOWN] = _PAGE
    _dialog(workspace, person.name, pair.query)


@st.dialog("Search the corpus", width="large", on_dismiss="rerun")
def _dialog(workspace: Workspace, rater: str, query: Query) -> None:
    """What to look for, what was found, and a button to add each that the pool lacks."""
    # Whoever searches is at work: the pair behind the dialog stays on loan.
    current_sitting(workspace, rater).active_at = datetime.now(UTC)
    st.html(f'<p class="gs-search-query">For the query \u201c{text.inline(query.text)}\u201d</p>')
    words = st.text_input(
        "Words to look for",
        value=query.text[:_LONGEST_SEARCH],
        max_chars=_LONGEST_SEARCH,
        key=f"corpus_search_words_{query_name(query.query_id)}",
        on_change=_first_page,
    )
    with errors_shown():
        show_callback_error()
        _show_results(workspace, rater, query, words)


def _show_results(workspace: Workspace, rater: str, query: Query, words: str) -> None:
    shown = st.session_state.get(_SHOWN, _PAGE)
    with st.spinner("Searching; the first search reads the whole corpus", show_time=True):
        found = search_corpus(workspace, words, query.query_id, shown + 1)
    if not found:
        st.html('<p class="gs-search-query">No document holds any of these words.</p>')
    for place, result in enumerate(found[:shown]):
        with st.container(key=f"corpus_result_{place}"):
            st.html(_result_html(workspace.settings, result, words))
            _show_actions(workspace, rater, query, result, place)
    if shown < min(len(found), _MOST):
        st.button("More results", key="corpus_search_more", on_click=_next_page)


def _show_actions(
    workspace: Workspace, rater: str, query: Query, result: Found, place: int
) -> None:
    """Add it, or where it was added now: that it is there, and the way to it."""
    doc_id = result.document.doc_id
    if (query.query_id, doc_id) in _added():
        with st.container(horizontal=True, vertical_alignment="center", key=f"added_{place}"):
            words = '<span class="gs-added" role="status">Added to the pool</span>'
            st.html(words, width="content")
            if st.button("Grade it now", key=f"corpus_grade_{place}"):
                st.query_params[WANTED_IN_URL] = pair_name(rater, query.query_id, doc_id)
                st.rerun(scope="app")
    elif result.in_pool:
        st.html('<span class="gs-in-pool">In the pool</span>')
    else:
        add = in_callback(partial(_add, workspace, rater, query.query_id, doc_id))
        st.button("Add to the pool", key=f"corpus_add_{place}", on_click=add)


def _add(workspace: Workspace, rater: str, query_id: str, doc_id: str) -> None:
    add_by_rater(workspace, rater, query_id, doc_id)
    _added().add((query_id, doc_id))
    st.session_state[_IS_NEW] = True


def _added() -> set[tuple[str, str]]:
    """(query_id, doc_id) of what was added in this session."""
    added: set[tuple[str, str]] = st.session_state.setdefault(_ADDED, set())
    return added


def _first_page() -> None:
    st.session_state[_SHOWN] = _PAGE


def _next_page() -> None:
    st.session_state[_SHOWN] = st.session_state.get(_SHOWN, _PAGE) + _PAGE


def _result_html(settings: Settings, result: Found, words: str) -> str:
    """Title and the passages around the words; what raters do not see on a card is not here."""
    terms = text.query_terms(words, settings.language)
    document = result.document
    title = " ".join(filled(settings.card.title, document).split()) or document.doc_id
    body = text.folded(filled(settings.card.text, document), terms, _TEXT_BUDGET)
    return (
        f'<div class="gs-result"><h3 dir="auto">{text.marked(title, terms)}</h3>'
        f"{text.block(body.html)}</div>"
    )
