"""Takes a synthesis back: its queries go, unless somebody has worked on them."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from builder.errors import BuilderError
from builder.people import Person, authorize, called
from builder.store import Connection, activity
from builder.store.syntheses import SynthesisRow, active_queries_of, note_taken_back
from builder.store.synthetic_queries import count_candidates
from builder.store.synthetic_review import worked_on
from builder.synthesis.alone import is_at_work
from builder.synthesis.entering import retire
from builder.synthesis.syntheses import known_synthesis
from builder.workspace import Workspace

TAKEN_BACK = "synthesis.take_back"


def take_back_synthesis(
    workspace: Workspace, synthesis_id: int, actor: Person | None = None, *, dry_run: bool = False
) -> dict[str, Any]:
    """Let the queries go that a synthesis brought and nobody has worked on.

    They are retired, and the grade of the model is undone. Queries that a person judged or decided
    on, that raters spoke of, or that are in a validation stay. The ledger, the candidates and what
    was paid stay on record; candidates of a run that was taken back wait for no review.

    A synthesis that was taken back before may be taken back once more: what can go now goes.

    Args:
        workspace: Whose queries.
        synthesis_id: Which run.
        actor: Who asks for it in the browser; None at the terminal.
        dry_run: Only tell what would become of it; nothing is written.

    Returns:
        synthesis_id; queries_removed; candidates: queries that it wrote, and that nobody is asked
        to review any more; kept: {reason: queries that stay}, of judged, decided, discussed and
        validated; again: whether it was taken back before.

    Raises:
        BuilderError: There is no such run, or it is at work.
        NotAllowedError: The actor is no analyst.
    """
    authorize(workspace, actor, "analyst")
    at_work = is_at_work(workspace)
    if dry_run:
        with workspace.store.read() as connection:
            row = _resting(connection, synthesis_id, at_work=at_work)
            keys = active_queries_of(connection, synthesis_id)
            return _told(connection, row, keys, worked_on(connection, keys))
    with workspace.store.write() as connection:
        row = _resting(connection, synthesis_id, at_work=at_work)
        keys = active_queries_of(connection, synthesis_id)
        stay = worked_on(connection, keys)
        for key in keys:
            if key not in stay:
                retire(connection, key)
        told = _told(connection, row, keys, stay)
        if row.taken_back_at is None:
            note_taken_back(connection, synthesis_id, called(actor))
        activity.note(connection, called(actor), TAKEN_BACK, str(synthesis_id), told)
    return told


def _resting(connection: Connection, synthesis_id: int, *, at_work: bool) -> SynthesisRow:
    row = known_synthesis(connection, synthesis_id)
    if at_work and row.state == "running":
        raise BuilderError(
            f"synthesis {synthesis_id} is at work", hint="Stop it first; then take it back."
        )
    return row


def _told(
    connection: Connection, row: SynthesisRow, keys: Collection[int], stay: Mapping[int, str]
) -> dict[str, Any]:
    return {
        "synthesis_id": row.synthesis_id,
        "queries_removed": len(keys) - len(stay),
        "candidates": count_candidates(connection, row.synthesis_id).generated,
        "kept": dict(Counter(stay.values()).most_common()),
        "again": row.taken_back_at is not None,
    }
