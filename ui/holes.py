"""Unjudged documents in the models' top 10, as pages ask for them: found once, then kept."""

import time
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from builder.evaluation import Contest
from builder.evaluation.holes import Holes, find_holes
from builder.store.latest import Latest, latest_changes
from builder.workspace import Workspace

TOP = 10
LARGE_CORPUS = 100_000
"""From so many documents on, reading the task takes seconds; then it is read now and then."""
NOW_AND_THEN_S = 600


def holes_of(workspace: Workspace, contest: Contest, *, exact: bool = True) -> Holes | None:
    """The holes of a contest; None where it is no release, or has no results.

    Args:
        workspace: Where grades, results and runs lie.
        contest: Whose holes.
        exact: Whether they have to be those of this moment; else, with a large corpus, they may
            be ten minutes old.
    """
    if contest.release is None or not contest.results:
        return None
    now: Latest | int = int(time.time() / NOW_AND_THEN_S)
    if exact or contest.results[0].corpus_size < LARGE_CORPUS:
        with workspace.store.read() as connection:
            now = latest_changes(connection)
    made = tuple(sorted(result.created_at for result in contest.results))
    task = f"custom/{contest.name}"
    return _found(workspace.root, task, made, now, lambda: find_holes(workspace, task, TOP))


@st.cache_resource(max_entries=8, show_spinner="Looking for unjudged documents \u2026")
def _found(
    root: Path,  # noqa: ARG001 - part of the key, as are the next three
    task: str,  # noqa: ARG001
    made: tuple[str, ...],  # noqa: ARG001
    now: Latest | int,  # noqa: ARG001
    _find: Callable[[], Holes],
) -> Holes:
    """Shared by all sessions: nobody may change it."""
    return _find()
