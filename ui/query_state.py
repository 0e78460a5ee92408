"""Which query the Queries page shows, and what was done last."""

import streamlit as st

from ui.frame import note

_QUERY, _SAID = "query", "queries_said"


def open_query(query_id: str) -> None:
    """Let the page show this query from the next run on."""
    st.query_params[_QUERY] = query_id


def close_query() -> None:
    """Back to the list."""
    st.query_params.pop(_QUERY, None)


def query_opened() -> str | None:
    """The query that the address names; None: the list."""
    return st.query_params.get(_QUERY)


def say(words: str) -> None:
    """Show these words once, on top of the next run."""
    st.session_state[_SAID] = words


def show_said() -> None:
    """Show what was done."""
    if said := st.session_state.pop(_SAID, None):
        note(said)
