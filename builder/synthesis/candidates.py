"""Queries that a model wrote, as pages and commands read them."""

from builder.store.synthetic_queries import (
    Candidate,
    CandidateCounts,
    Finding,
    candidates_of,
    count_candidates,
    find_candidate,
)
from builder.workspace import Workspace

__all__ = ["Candidate", "CandidateCounts", "Finding", "candidate", "candidates", "counts"]


def candidates(
    workspace: Workspace,
    synthesis_id: int | None = None,
    *,
    verdict: str | None = None,
    review: str | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> list[Candidate]:
    """Candidates, in the order of their runs, tasks and answers.

    Args:
        workspace: Whose.
        synthesis_id: Of this run, taken back or not; None: of all runs that stand.
        verdict: "kept", "rejected", or "unseen" by the filters; None: all.
        review: "accepted", "rejected", or "waiting" for a reviewer; None: all.
        limit: At most so many; None: all.
        offset: So many are passed over first.
    """
    with workspace.store.read() as connection:
        return candidates_of(
            connection,
            synthesis_id,
            verdict=verdict,
            review=review,
            limit=limit,
            offset=offset,
        )


def candidate(workspace: Workspace, candidate_id: int) -> Candidate | None:
    """The candidate of this key; None if there is none."""
    with workspace.store.read() as connection:
        return find_candidate(connection, candidate_id)


def counts(workspace: Workspace, synthesis_id: int | None = None) -> CandidateCounts:
    """What became of what was written: of this run, or of all that stand."""
    with workspace.store.read() as connection:
        return count_candidates(connection, synthesis_id)
