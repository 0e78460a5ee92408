"""Logs to queries: draw queries that are worth grading, and see what clicks tell."""

import streamlit as st

from ui import frame, state
from ui.dashboards.filters import ask_choice
from ui.dashboards.fresh import log_or_stop
from ui.mining.views import draw_queries, show_clicks

VIEWS = {"draw": "Draw queries", "clicks": "What clicks tell"}

workspace = state.current_workspace()
person = state.require_person(workspace)
frame.heading(
    "Logs to queries",
    "Draw the queries that are worth grading from what people searched for.",
    mark=state.mark(workspace, "events"),
)
log = log_or_stop(workspace)

view = st.segmented_control(
    "What to show",
    list(VIEWS),
    format_func=VIEWS.__getitem__,
    default="draw",
    required=True,
    key="view",
    bind="query-params",
    label_visibility="collapsed",
)
zone = workspace.settings.timezone
if view == "draw":
    # A search without a query cannot be drawn.
    draw_queries(workspace, person, log, ask_choice(log, zone, empty=False))
else:
    out = workspace.settings.weak_grades.without_bots
    show_clicks(workspace, person, log, ask_choice(log, zone, bots_left_out=out))
