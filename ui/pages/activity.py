"""Activity: who did what when."""

from ui import frame, state
from ui.activity import ask_which, show_activity

workspace = state.current_workspace()
person = state.require_person(workspace)
frame.heading("Activity", "Who did what when, newest first. Grades are in My grades, not here.")
show_activity(workspace, person, ask_which(workspace))
