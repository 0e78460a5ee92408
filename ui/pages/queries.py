"""Queries: the questions of the set, kept in order."""

from ui import frame, state
from ui.queries import show_queries

workspace = state.current_workspace()
frame.heading(
    "Queries", "The questions your raters judge for: find, add and mend them, and decide doubts."
)
person = state.require_person(workspace)
show_queries(workspace, person)
