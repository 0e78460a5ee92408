"""Leaderboard: models on a task, and new evaluations."""

import streamlit as st

from ui import frame, state
from ui.hole_board import show_holes
from ui.jobs import follow, start
from ui.leaderboards import (
    EVALUATION_JOB,
    EVALUATION_TARGET,
    KNOWN_MODELS,
    boards_of,
    colours_for,
    show_board,
    show_scores,
    tasks_to_evaluate,
)
from ui.missing import missing_to_evaluate

workspace = state.current_workspace()
frame.heading(
    "Leaderboard",
    "Which model ranks best on your own queries, and how sure that is.",
    mark=state.mark(workspace, "grades"),
)
person = state.require_person(workspace)
boards = boards_of(workspace)

if boards:
    title = st.selectbox("Task", list(boards), bind="query-params", key="board")
    board = boards[title]
    colours = colours_for(workspace, [result.model for result in board.results])
    show_board(board, colours)
    if board.results:
        show_scores(board, colours)
        with frame.errors_shown():
            show_holes(workspace, person, board, colours)
else:
    frame.note("No model has been evaluated yet.", "Make a release, then evaluate models on it.")

frame.section("Evaluate models")
with st.form("evaluate", border=False):
    task = st.selectbox("On", tasks_to_evaluate(workspace))
    models = st.multiselect(
        "Models: bm25, minilm, or any SentenceTransformer name or folder",
        KNOWN_MODELS,
        default=KNOWN_MODELS,
        accept_new_options=True,
    )
    missing = missing_to_evaluate(workspace)
    pressed = st.form_submit_button("Evaluate", type="primary", disabled=bool(missing))
    if missing:
        frame.muted(missing)
if pressed and models:
    start(workspace, person, EVALUATION_JOB, EVALUATION_TARGET, {"models": models, "tasks": [task]})
follow(workspace, EVALUATION_JOB, fades=True)
