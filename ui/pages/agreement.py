"""Agreement: how far the raters agree, and what that allows."""

import streamlit as st

from ui import frame, state
from ui.agreement import is_defined, show_numbers, show_verdict
from ui.agreement_slices import SLICES, show_slices
from ui.disagreements import show_disagreements
from ui.kappas import WEIGHTS, show_kappas
from ui.trust import report_shown
from ui.trust_cost import draw_cost

workspace = state.current_workspace()
person = state.require_person(workspace)
frame.heading(
    "Agreement",
    "How far the raters agree, and what that allows you to do with their grades.",
    mark=state.mark(workspace, "grades"),
)
report = report_shown(workspace)
if report is None:
    st.stop()

show_verdict(workspace, person, report)
show_numbers(report)
if not is_defined(report):
    st.stop()

frame.section("Every two raters")
weights = st.segmented_control(
    "Weights of kappa",
    list(WEIGHTS),
    format_func=WEIGHTS.__getitem__,
    default="quadratic",
    required=True,
    key="weights",
    bind="query-params",
)
show_kappas(report, weights)
frame.section("Where they agree")
by = st.segmented_control(
    "By",
    list(SLICES),
    default="tag",
    required=True,
    key="by",
    bind="query-params",
    label_visibility="collapsed",
)
show_slices(workspace, report, by)
frame.section("What disagreement costs")
draw_cost(workspace)
frame.section("Where they do not agree")
show_disagreements(workspace, person, report)
