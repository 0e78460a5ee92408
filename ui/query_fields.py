"""Fields of a query that is written or changed: its tags, known ones and new ones."""

from collections.abc import Sequence

import streamlit as st

_LONGEST_TAGS = 500


def ask_tags(known: Sequence[str], chosen: Sequence[str], key: str) -> None:
    """Known tags to pick from, and a field for new ones.

    A field of its own: what is typed into a list of tags is lost without the Enter key, and nobody
    is told; a field of text keeps it.

    Args:
        known: The workspace's tags.
        chosen: Those that the query has already.
        key: Names the two fields, for `tags_given`.
    """
    options = sorted({*known, *chosen})
    if options:
        st.multiselect("Tags", options, chosen, key=_picked(key), placeholder="Pick")
    st.text_input(
        "New tags",
        key=_typed(key),
        max_chars=_LONGEST_TAGS,
        placeholder="With commas between them",
    )


def tags_given(key: str) -> tuple[str, ...]:
    """The tags in the two fields of this key, each once, in their order."""
    picked = st.session_state.get(_picked(key)) or ()
    typed = (tag.strip() for tag in (st.session_state.get(_typed(key)) or "").split(","))
    return tuple(dict.fromkeys([*picked, *(tag for tag in typed if tag)]))


def _picked(key: str) -> str:
    return f"{key}_picked"


def _typed(key: str) -> str:
    return f"{key}_typed"
