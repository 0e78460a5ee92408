"""Queries that a model wrote, as pages and commands read them."""

from typing import Unpack

from builder.store.synthetic_queries import (
    Candidate,
    CandidateCounts,
    Finding,
    Wanted,
    candidates_of,
    count_candidates,
)
from builder.workspace import Workspace

__all__ = ["Candidate", "CandidateCounts", "Finding", "Wanted", "candidates", "counts"]


def candidates(
    workspace: Workspace, synthesis_id: int | None = None, **wanted: Unpack[Wanted]
) -> list[Candidate]:
    """As `builder.store.synthetic_queries.candidates_of`, in a transaction of its own."""
    with workspace.store.read() as connection:
        return candidates_of(connection, synthesis_id, **wanted)


def counts(workspace: Workspace, synthesis_id: int | None = None) -> CandidateCounts:
    """What became of what was written: of this run, or of all that stand."""
    with workspace.store.read() as connection:
        return count_candidates(connection, synthesis_id)
