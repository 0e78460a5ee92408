"""People: who works here, and what they may do."""

from builder.people import people_with_counts
from ui import frame, state
from ui.people import show_adding, show_changing, show_link, show_other_raters, show_people

workspace = state.current_workspace()
person = state.require_person(workspace)
frame.heading("People", "Who works here, what they may do, and how they come in.")

listed = people_with_counts(workspace, person)
show_link()
show_people(workspace, listed)
frame.section("Add somebody")
show_adding(workspace, person)
frame.section("Change somebody")
show_changing(workspace, person, listed)
show_other_raters(workspace, listed)
