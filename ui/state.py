"""What outlives one run of a page: the opened workspace, and who is working.

The workspace is opened once per server and shared by all sessions; who works is a session's own
(ui/sign_in.py).
"""

import os
from pathlib import Path
from typing import Literal

import streamlit as st

from builder import DEFAULT_WORKSPACE, WORKSPACE_VARIABLE
from builder.backup import keep_daily_copies, stop_daily_copies
from builder.people import Person
from builder.workspace import DATABASE_FILE, SETTINGS_FILE, Workspace, open_workspace
from ui.sign_in import person_signed_in, show_sign_in


def workspace_folder() -> Path:
    """The folder named by GOLDSMITH_WORKSPACE, else data/workspace of the checkout."""
    named = os.environ.get(WORKSPACE_VARIABLE)
    return Path(named) if named else DEFAULT_WORKSPACE


def workspace_is_there() -> bool:
    """Whether that folder is a workspace."""
    folder = workspace_folder()
    return (folder / SETTINGS_FILE).is_file() and (folder / DATABASE_FILE).is_file()


def current_workspace() -> Workspace:
    """The opened workspace; opened anew where its settings file changed.

    Raises:
        BuilderError: It cannot be opened as it stands.
    """
    folder = workspace_folder().absolute()
    return _opened(str(folder), (folder / SETTINGS_FILE).stat().st_mtime_ns)


def mark(workspace: Workspace, what: Literal["events", "grades"]) -> str:
    """What is said beside events or grades: "simulated events", or "" where they are real."""
    said: str = getattr(workspace.settings.marks, what)
    return f"{said} {what}" if said else ""


def current_person(workspace: Workspace) -> Person | None:
    """Who works in this session, as the store knows them now; None where nobody came in."""
    return person_signed_in(workspace)


def require_person(workspace: Workspace) -> Person:
    """Who works in this session; whoever has not said so yet is asked, and the page ends there."""
    person = person_signed_in(workspace)
    if person is None:
        show_sign_in(workspace)
        st.stop()
    return person


def _close(workspace: Workspace) -> None:
    stop_daily_copies(workspace)
    workspace.close()


@st.cache_resource(show_spinner=False, max_entries=2, on_release=_close)
def _opened(folder: str, settings_changed: int) -> Workspace:  # noqa: ARG001 - part of the key
    workspace = open_workspace(Path(folder))
    keep_daily_copies(workspace)
    return workspace
