"""What waits for an analyst: queries that raters doubt, and pairs that nobody could judge."""

from html import escape

import streamlit as st

from builder.curation import Waiting, WaitingPair, WaitingQuery, ask_again, waiting
from builder.judging.naming import pair_name
from builder.people import Person
from builder.workspace import Workspace
from ui.frame import in_callback, muted, note, section
from ui.numbers import count
from ui.query_detail import ask_raters_again, begin_edit, retire
from ui.query_state import open_query, say
from ui.query_texts import plural, short_html, state_html, words_html
from ui.text import clean

_GRADE_PAGE = "ui/pages/grade.py"


def show_waiting(workspace: Workspace, person: Person) -> None:
    """All that waits, with what can be decided."""
    found = waiting(workspace)
    if not found.queries and not found.pairs:
        note(
            "Nothing waits for a decision.",
            "Queries that raters call unclear or out of scope come here, and pairs that two raters "
            "could not judge.",
        )
        return
    if found.queries:
        section("Queries that raters doubt")
    for doubted in found.queries:
        _show_query(workspace, person, doubted)
    if found.pairs:
        section("Pairs that nobody could judge")
        muted(_counted(found))
    for stuck in found.pairs:
        _show_pair(workspace, person, stuck)


def _counted(found: Waiting) -> str:
    shown = len(found.pairs)
    more = f"; the first {count(shown)} are shown" if found.n_pairs > shown else ""
    return f"{plural(found.n_pairs, 'pair')}{more}. A grade of an analyst decides."


def _show_query(workspace: Workspace, person: Person, doubted: WaitingQuery) -> None:
    listed, query = doubted.listed, doubted.listed.query
    with st.container(key=f"doubted_{query.query_key}", gap="small"):
        words = words_html(doubted.words, workspace.settings.timezone)
        st.html(
            f'<div class="gs-entry">{state_html(listed)}{short_html(listed)}{_need(query.need)}'
            f"{words}</div>"
        )
        with st.container(horizontal=True, key=f"decide_{query.query_key}", gap="small"):
            st.button("Edit", key=f"edit_{query.query_key}", on_click=begin_edit, args=(listed,))
            st.button(
                "Retire",
                key=f"retire_{query.query_key}",
                on_click=in_callback(retire),
                args=(workspace, person, query.query_id),
            )
            st.button(
                "Ask raters again",
                key=f"again_{query.query_key}",
                on_click=in_callback(ask_raters_again),
                args=(workspace, person, query.query_id, doubted.words),
            )
            st.button(
                "Open",
                key=f"open_{query.query_key}",
                type="tertiary",
                on_click=open_query,
                args=(query.query_id,),
            )


def _show_pair(workspace: Workspace, person: Person, stuck: WaitingPair) -> None:
    pair = stuck.pair
    with st.container(key=f"stuck_{pair.pair_id}", gap="small"):
        words = words_html(stuck.words, workspace.settings.timezone)
        st.html(
            f'<div class="gs-entry"><div class="gs-entry-query" dir="auto">'
            f'{escape(clean(pair.query))}</div><div class="gs-entry-title" dir="auto">'
            f"{escape(clean(pair.title or pair.doc_id))}</div>"
            f'<p class="gs-muted">{count(pair.grades)} of {plural(pair.quota, "grade")}</p>'
            f"{words}</div>"
        )
        with st.container(horizontal=True, key=f"settle_{pair.pair_id}", gap="small"):
            st.button(
                "Ask two more raters",
                key=f"more_{pair.pair_id}",
                on_click=in_callback(_ask_more),
                args=(workspace, person, pair.pair_id),
            )
            asked = {"pair": pair_name(person.name, pair.query_id, pair.doc_id)}
            st.page_link(_GRADE_PAGE, label="Grade it myself", query_params=asked)


def _need(need: str) -> str:
    told = escape(clean(need)) or "No need written down."
    return f'<div class="gs-listed-need" dir="auto">{told}</div>'


def _ask_more(workspace: Workspace, person: Person, pair_id: int) -> None:
    done = ask_again(workspace, pair_id, person)
    say("Two more raters are asked." if done else "It waits no more: somebody decided meanwhile.")
