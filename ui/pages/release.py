"""Release: freeze the grades into a task folder."""

import streamlit as st

from ui import frame, state
from ui.jobs import follow
from ui.judgment_downloads import show_judgment_downloads
from ui.releases import (
    EXPORT_JOB,
    RULES,
    WEAK,
    offer_archive,
    releases_of,
    show_export,
    show_releases,
    start_export,
    suggested_name,
)
from ui.synthesis.release import ask_synthetic

workspace = state.current_workspace()
frame.heading(
    "Release",
    "Freeze the grades of this moment into a task folder that every evaluation tool can read.",
    mark=state.mark(workspace, "grades"),
)
person = state.require_person(workspace)
releases = releases_of(workspace)

with st.form("export", border=False, enter_to_submit=False):
    name = st.text_input("Name of the task", suggested_name(workspace, releases), max_chars=100)
    synthetic = ask_synthetic(workspace)
    with st.expander("Which grades, and how they become one"):
        rule = st.selectbox(
            "Several grades of one pair", list(RULES), format_func=RULES.__getitem__
        )
        min_raters = st.number_input("Leave out pairs with fewer raters than", 1, 100, 1)
        tag = st.text_input("Only queries with this tag", placeholder="All queries")
        keep = st.checkbox("Keep queries without a relevant document; mteb scores them 0")
        header = st.checkbox("Begin qrels with a header line", value=True)
        weak = st.checkbox(WEAK)
    pressed = st.form_submit_button("Make a release", type="primary")

if pressed:
    options = {"rule": rule, "min_raters": min_raters, "keep_no_relevant": keep, "header": header}
    options |= {"tag": tag.strip() or None, "weak": weak, "synthetic": synthetic}
    start_export(workspace, person, name, options)

follow(workspace, EXPORT_JOB, show=show_export, fades=True)

frame.section("Releases")
if releases:
    show_releases(workspace, releases)
    offer_archive(workspace, person, releases)
else:
    frame.note("There is no release yet.", "Grade some pairs, then make the first one above.")

show_judgment_downloads(workspace, person)
