"""The first view of the page: server and model, what to ask, what it costs, and what came of it."""

from functools import partial

from builder.people import Person
from builder.store.documents import count_documents
from builder.workspace import Workspace
from ui.frame import errors_shown, note
from ui.imports import offer_import
from ui.jobs import follow
from ui.synthesis.choosing import ask_plan
from ui.synthesis.cost import SYNTH_JOB, show_cost
from ui.synthesis.outcome import show_outcome
from ui.synthesis.rejected import show_rejected
from ui.synthesis.runs import show_runs, show_so_far
from ui.synthesis.setup import show_setup


def show_generate(workspace: Workspace, person: Person) -> None:
    """What can be asked for next, and the runs so far."""
    with workspace.store.read() as connection:
        documents = count_documents(connection)
    if documents:
        with errors_shown():
            _show_asking(workspace, person)
    else:
        note("There are no documents yet.", "Queries are written for documents: import a corpus.")
        offer_import("corpus")
    follow(
        workspace,
        SYNTH_JOB,
        show=partial(show_outcome, workspace),
        beside=partial(show_so_far, workspace),
        fades=True,
    )
    show_runs(workspace, person)
    show_rejected(workspace)


def _show_asking(workspace: Workspace, person: Person) -> None:
    endpoint = show_setup(workspace)
    if endpoint is not None:
        show_cost(workspace, person, ask_plan(workspace, endpoint))
