"""Guidelines: how this team grades."""

from builder.judging.guidelines import current_guidelines
from ui import frame, state
from ui.guidelines import show_editor, show_guidelines, show_versions

workspace = state.current_workspace()
frame.heading("Guidelines", "How this team grades: read them first, and again when in doubt.")
person = state.require_person(workspace)

current = current_guidelines(workspace)
if person.role != "rater":
    show_editor(workspace, person, current)
show_guidelines(current)
show_versions(workspace, current)
