"""Adjudicate: an analyst decides on the pairs on which raters differ."""

from ui import state
from ui.adjudication import show_adjudication

workspace = state.current_workspace()
show_adjudication(workspace, state.require_person(workspace))
