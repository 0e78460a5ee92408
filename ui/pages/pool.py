"""Pool: choose which pairs the experts see."""

from functools import partial

from ui import frame, state
from ui.dashboards.counting import log_of
from ui.jobs import follow
from ui.pooling.choosing import ask_plan
from ui.pooling.fillings import show_fillings
from ui.pooling.preview import POOL_JOB, show_pooled, show_preview
from ui.pooling.standing import show_standing

workspace = state.current_workspace()
frame.heading(
    "Pool",
    "Choose which documents are graded for each query, and how much of it the team can do.",
    mark=state.mark(workspace, "events"),
)
person = state.require_person(workspace)
plan = ask_plan(workspace, person, has_log=log_of(workspace) is not None)
show_preview(workspace, person, plan)
follow(workspace, POOL_JOB, show=partial(show_pooled, workspace), fades=True)
show_standing(workspace)
show_fillings(workspace, person)
