"""Overview: the loop, step by step."""

import streamlit as st

from ui import frame, state
from ui.backups import show_daily_problem
from ui.jobs import follow
from ui.overview import closed_in_words, is_empty, next_step, show_steps
from ui.overview_steps import steps_of
from ui.start import DEMO_JOB, demo_is_half_made, fill_with_demo

workspace = state.current_workspace()
frame.heading(
    workspace.settings.name,
    "From a corpus and a search log to the model that you can ship, and back.",
    mark=state.mark(workspace, "grades"),
)
show_daily_problem(workspace)
at_work = follow(workspace, DEMO_JOB, keep=False)

steps = steps_of(workspace)
upcoming = next_step(steps)
show_steps(steps)

if not at_work and demo_is_half_made(workspace):
    frame.note("The demo is half made.", "It goes on where it stopped; nothing is done twice.")
    st.button(
        "Go on with the demo",
        key="go_on_demo",
        on_click=frame.in_callback(fill_with_demo),
        args=(workspace, "demo"),
    )
elif upcoming is None:
    frame.muted(closed_in_words(steps))
elif not at_work and is_empty(steps):
    frame.note(
        "This workspace is empty.",
        "Import your own documents, or let the demo fill it with Python's documentation.",
    )
    st.button(
        "Fill it with the demo",
        key="fill_demo",
        on_click=frame.in_callback(fill_with_demo),
        args=(workspace, "demo"),
    )
