"""Clicks vs experts: where clicks say otherwise than a grade, and who looks again."""

import streamlit as st

from ui import frame, state
from ui.clicks_experts import compared, show_agreement, show_why_not
from ui.contradictions import show_contradictions, show_rechecks
from ui.dashboards.counting import log_of
from ui.mining.meanings import show_click_meanings
from ui.mining.weak import warn_of_weak_grades

workspace = state.current_workspace()
person = state.require_person(workspace)
frame.heading(
    "Clicks vs experts",
    "Where clicks say otherwise than the experts' grades: these pairs deserve a second look.",
    mark=state.mark(workspace, "events"),
)
found = compared(workspace, person, log_of(workspace))
if found is None:
    st.stop()
if show_why_not(found):
    show_rechecks(workspace, person, found["rechecks"])
    st.stop()

show_agreement(workspace, found)
warn_of_weak_grades()
show_click_meanings()
show_rechecks(workspace, person, found["rechecks"])
show_contradictions(workspace, person, found["contradictions"])
