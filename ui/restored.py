"""A restore under an open page: said once, to whoever has the page open."""

import streamlit as st

from builder.store.quota import content_mark
from builder.workspace import Workspace
from ui.frame import note

WORDS = "The workspace was restored from a copy"
NOT_SAVED = f"{WORDS}: this press was not saved. Here is what is to be graded now."
_SEEN = "content_seen"


def was_restored(workspace: Workspace) -> bool:
    """Whether the content was replaced since this session looked last; True once each time."""
    with workspace.store.read() as connection:
        mark = content_mark(connection)
    before = st.session_state.get(_SEEN, mark)
    st.session_state[_SEEN] = mark
    return bool(before != mark)


def tell_restored(workspace: Workspace) -> None:
    """Say above the page that the content was replaced; nothing where it was not."""
    if was_restored(workspace):
        note(
            f"{WORDS} while this page was open.",
            "What was done after that copy was made is not here any more.",
            kind="warning",
        )
