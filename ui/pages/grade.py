"""Grade: one pair at a time, one key a grade."""

from ui import frame, state
from ui.grading import show_grading

workspace = state.current_workspace()
person = state.current_person(workspace)

if person is None:
    frame.heading("Grade", "Say how well each document answers the query; one key a pair.")
    person = state.require_person(workspace)
show_grading(workspace, person)
