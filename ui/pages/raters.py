"""Raters: how each of them grades, and whether their grades shall count."""

import streamlit as st

from ui import frame, state
from ui.rater_detail import show_chosen
from ui.raters import show_raters, show_who_stands_out
from ui.trust import report_shown

workspace = state.current_workspace()
person = state.require_person(workspace)
frame.heading(
    "Raters",
    "How each rater grades beside the others, and whose grades need a look.",
    mark=state.mark(workspace, "grades"),
)
report = report_shown(workspace)
if report is None:
    st.stop()
if not report["raters"]:
    frame.note("Nobody has graded yet.", "Let people grade some pairs; each then has a row here.")
    st.page_link("ui/pages/grade.py", label="Grade pairs", icon=":material/arrow_forward:")
    st.stop()

show_who_stands_out(report["raters"])
show_raters(workspace, person, report["raters"])
frame.section("One rater")
show_chosen(workspace, person, report["raters"])
