"""What the words of a page mean, folded below what they stand in."""

from collections.abc import Sequence

import streamlit as st

from ui.text import inline


def show_meanings(listed: Sequence[tuple[str, str]], title: str = "What these words mean") -> None:
    """Each word and what it is, a sentence or two."""
    with st.expander(title):
        meanings = (f"<dt>{inline(name)}</dt><dd>{inline(what)}</dd>" for name, what in listed)
        st.html(f'<dl class="gs-meanings">{"".join(meanings)}</dl>')
