"""My grades: what one said so far, changed where one thinks better of it."""

from ui import frame, state
from ui.history import show_history

workspace = state.current_workspace()
frame.heading(
    "My grades", "What you said so far: find it, and change it if you think better of it."
)
person = state.require_person(workspace)
show_history(workspace, person.name)
