"""An import of search events is taken back where its outcome stands: on the page Import."""

from typing import TYPE_CHECKING

import streamlit as st

from builder.events import take_back_import, undo_of
from builder.jobs import Job
from builder.people import Person, has_role
from builder.workspace import Workspace
from ui.frame import in_callback, note
from ui.jobs import clock
from ui.numbers import count
from ui.text import inline

if TYPE_CHECKING:
    from online.undoing import Import

LONGEST_WAIT_S = 5.0
"""How long a page waits for an import at work before it says so."""


def offer_undo(workspace: Workspace, person: Person, job: Job | None) -> None:
    """A way to take back what a job imported, while it is the latest; or who has done so.

    Nothing where the job imported no events, is at work, or its import is not the latest any more.
    """
    outcome = (job.outcome if job and job.state == "done" else None) or {}
    if job is None or outcome.get("what") != "events" or not job.finished_at:
        return
    undo = undo_of(workspace, str(outcome["file"]), job.created_at, job.finished_at)
    if undo.done:
        when = clock(workspace, undo.done.happened_at)
        note(
            f"Taken back by {undo.done.actor}, {when}.",
            "With that, the events became what they were before.",
        )
    elif undo.open and has_role(person, "analyst"):
        _offer(workspace, person, undo.open)


def _offer(workspace: Workspace, person: Person, latest: "Import") -> None:
    with st.popover("Take back this import", icon=":material/undo:", key="undo_import"):
        st.html(
            f"<p>{inline(latest.name)}, imported {clock(workspace, latest.at)}, goes: "
            f"{_number_of(latest.searches, 'search', 'es')} and "
            f"{_number_of(latest.interactions, 'interaction', 's')}.</p>"
            "<p>All events become what they were before it. Then you can import the file again in "
            "another way. An import before it cannot be taken back.</p>"
        )
        st.button(
            "Take it back",
            type="primary",
            key=f"take_back_{latest.commit}",
            on_click=in_callback(_take_back),
            args=(workspace, person, latest),
        )


def _take_back(workspace: Workspace, person: Person, latest: "Import") -> None:
    take_back_import(workspace, latest, person, longest_wait_s=LONGEST_WAIT_S)


def _number_of(n: int, one: str, ending: str) -> str:
    return f"{count(n)} {one}{'' if n == 1 else ending}"
