"""Activity: who did what when."""

from ui import frame, state
from ui.activity import ask_which, show_activity
from ui.backups import show_backups

workspace = state.current_workspace()
person = state.require_person(workspace)
frame.heading("Activity", "Who did what when, newest first. Single grades are not listed here.")
show_backups(workspace)
show_activity(workspace, person, ask_which(workspace))
