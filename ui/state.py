"""What outlives one run of a page: the opened workspace, and who is working.

The workspace is opened once per server and shared by all sessions; a person's name lives in the
session and in the address (`?rater=`), which is a name picked from a list, not authentication.
"""

import os
from pathlib import Path
from typing import Literal

import streamlit as st

from builder import DEFAULT_WORKSPACE, WORKSPACE_VARIABLE
from builder.backup import keep_daily_copies, stop_daily_copies
from builder.people import Person, ensure_person
from builder.store.people import all_people, find_person
from builder.workspace import DATABASE_FILE, SETTINGS_FILE, Workspace, open_workspace
from ui.frame import errors_shown, note
from ui.text import inline

_PERSON = "person"
_PERSON_IN_URL = "rater"
_NO_ADMIN = "Nobody is admin here yet: the first new name becomes it, and may do everything."


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
    """Who works in this session; a name in the address counts where the workspace knows it."""
    name = st.session_state.get(_PERSON) or st.query_params.get(_PERSON_IN_URL)
    person = _known(workspace, name) if name else None
    if person is not None:
        _keep(person)
    return person


def require_person(workspace: Workspace) -> Person:
    """Who works in this session; whoever has not said so yet is asked, and the page ends there."""
    person = current_person(workspace)
    if person is None:
        _ask_for_name(workspace)
        st.stop()
    return person


def show_person(workspace: Workspace) -> None:
    """In the sidebar: who one is taken for, and how to change it."""
    person = current_person(workspace)
    if person is None:
        return
    with st.sidebar.container(key="person"):
        st.html(
            f'<p class="gs-muted">You are <b>{inline(person.name)}</b><br>not authenticated</p>'
        )
        st.button("Someone else", type="tertiary", on_click=_forget_person, key="someone_else")


def _ask_for_name(workspace: Workspace) -> None:
    people = _people(workspace)
    note(
        "Who are you?",
        "Your name goes with what you do. It is not checked: no password.",
        "" if any(person.role == "admin" for person in people) else _NO_ADMIN,
    )
    with st.form("who", border=False):
        typed = st.selectbox(
            "Your name",
            [person.name for person in people],
            index=None,
            placeholder="Pick your name or type a new one",
            accept_new_options=True,
            key="who_name",
        )
        pressed = st.form_submit_button("Continue", type="primary")
    with errors_shown():
        if pressed and typed and typed.strip():
            _remember_person(workspace, typed)


def _remember_person(workspace: Workspace, typed: str) -> None:
    _keep(ensure_person(workspace, typed))
    st.rerun()


def _keep(person: Person) -> None:
    st.session_state[_PERSON] = person.name
    if st.query_params.get(_PERSON_IN_URL) != person.name:
        st.query_params[_PERSON_IN_URL] = person.name


def _forget_person() -> None:
    st.session_state.pop(_PERSON, None)
    st.query_params.pop(_PERSON_IN_URL, None)


def _known(workspace: Workspace, name: str) -> Person | None:
    with workspace.store.read() as connection:
        person = find_person(connection, name)
    return person if person and person.kind == "human" and person.active else None


def _people(workspace: Workspace) -> list[Person]:
    """Who may work here, in the order in which they came."""
    with workspace.store.read() as connection:
        people = all_people(connection)
    return [person for person in people if person.kind == "human" and person.active]


def _close(workspace: Workspace) -> None:
    stop_daily_copies(workspace)
    workspace.close()


@st.cache_resource(show_spinner=False, max_entries=2, on_release=_close)
def _opened(folder: str, settings_changed: int) -> Workspace:  # noqa: ARG001 - part of the key
    workspace = open_workspace(Path(folder))
    keep_daily_copies(workspace)
    return workspace
