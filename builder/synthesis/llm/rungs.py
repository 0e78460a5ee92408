"""The rung that a server was last found to know, remembered per server and model."""

from builder.store import Connection
from builder.store.llm_rungs import find_rung, keep_rung
from builder.synthesis.llm.endpoints import Endpoint
from builder.synthesis.llm.records import RUNGS
from builder.workspace import Workspace


def remembered_rung(workspace: Workspace, endpoint: Endpoint) -> str:
    """The rung to begin with: what worked last, or the first where nothing is remembered."""
    with workspace.store.read() as connection:
        rung = find_rung(connection, endpoint.identity)
    return rung if rung in RUNGS else RUNGS[0]


def remember_rung(connection: Connection, endpoint: Endpoint, rung: str) -> None:
    """Remember that `rung` works at this endpoint; again is harmless.

    Args:
        connection: Inside a writing transaction: that of a run's ledger, so that no answer that
            was paid for waits for another.
        endpoint: Who was asked.
        rung: By which an answer of our form came.

    Raises:
        ValueError: It is no rung.
    """
    if rung not in RUNGS:
        raise ValueError(f"{rung!r} is no rung")
    keep_rung(connection, endpoint.identity, rung)
