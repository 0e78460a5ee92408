"""How a synthetic query of the set came to be: its call and passage, and what became of it here."""

from collections.abc import Collection
from typing import Any

from builder.store import Connection
from builder.store.synthetic_queries import Candidate, candidates_that_became
from builder.synthesis.syntheses import provenance_within
from builder.workspace import Workspace


def origin_of_query(workspace: Workspace, query_id: str) -> dict[str, Any] | None:
    """As `origins_of` tells it of this query; None where no run of this workspace wrote it."""
    with workspace.store.read() as connection:
        return origins_of(connection, [query_id]).get(query_id)


def origins_of(connection: Connection, query_ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """How queries came to be, of those that a model wrote here.

    Returns:
        query_id -> what `builder.synthesis.syntheses.provenance_of` tells of it, and: title (of
        the document), passage (of its text as it is now), written (as the model wrote it), edited
        (whether a reviewer changed it on accepting), reviewed_by, reviewed_at; texts and names are
        untrusted.
    """
    found = candidates_that_became(connection, query_ids)
    return {query_id: _told(connection, one) for query_id, one in found.items()}


def _told(connection: Connection, candidate: Candidate) -> dict[str, Any]:
    return provenance_within(connection, candidate.candidate_id) | {
        "title": candidate.title,
        "passage": candidate.passage,
        "written": candidate.text,
        "edited": candidate.edited_text is not None,
        "reviewed_by": candidate.reviewed_by,
        "reviewed_at": candidate.reviewed_at,
    }
