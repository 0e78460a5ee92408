"""Grade: one pair at a time, one key a grade."""

from ui import state
from ui.grading import show_grading

workspace = state.current_workspace()
show_grading(workspace, state.require_person(workspace))
