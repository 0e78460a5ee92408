"""Where a newcomer arrives: no workspace yet."""

import streamlit as st

from ui import frame, state
from ui.start import start_demo, start_empty

folder = state.workspace_folder().absolute()

frame.heading(
    "Goldsmith",
    "Build a search evaluation set that your team can trust, and learn which model to ship.",
)
frame.note("There is no workspace yet.", f"It will lie in {folder}")

with st.container(border=True):
    frame.section("See it work")
    frame.muted(
        "The demo searches the documentation of Python's standard library: a corpus, graded pairs, "
        "a released task, two models compared on it, and a simulated click log. Ready in about "
        "three minutes, and no network is needed."
    )
    st.button(
        "Open the demo workspace",
        type="primary",
        key="start_demo",
        on_click=frame.in_callback(start_demo),
        args=(folder,),
    )

with st.container(border=True):
    frame.section("Start with your own corpus")
    with st.form("empty", border=False):
        name = st.text_input("Name of the workspace", placeholder="Shop search", max_chars=200)
        if st.form_submit_button("Make an empty workspace"):
            start_empty(folder, name)
            st.rerun()
