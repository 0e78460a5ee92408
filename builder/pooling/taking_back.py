"""Takes a pooling back: only what it alone brought and nobody has touched."""

from typing import Any

from builder.errors import BuilderError
from builder.people import Person, authorize, called
from builder.pooling.recording import Pooling, known_pooling
from builder.store import Connection, activity
from builder.store.pool_removal import Removal, plan_removal, remove_pooling
from builder.store.poolings import keep_outcome
from builder.workspace import Workspace

_TO_THE_MINUTE = len("2026-11-30T17:46")


def take_back_pooling(
    workspace: Workspace, pooling_id: int, actor: Person | None = None, *, dry_run: bool = False
) -> dict[str, Any]:
    """Remove from the pool what only this pooling brought.

    Pairs that anybody judged or decided on, whose query raters have said something of, or that
    another standing pooling or source names, stay.

    Args:
        workspace: Whose pool.
        pooling_id: Which pooling.
        actor: Who asks for it in the browser; None at the terminal.
        dry_run: Only say what would become of it; nothing is written.

    Returns:
        pooling_id; pairs_removed; stayed: pairs that it had brought and that stay; kept: {reason:
        pairs that stay}, of judged, decided, rechecked, query_words (raters said something of the
        query), other_pooling, other_source, and there_before (it named them, others had brought
        them, so that they are not among stayed); sources_removed: rows that said who
        named a pair that stays; leases: removed pairs that are on raters' screens.

    Raises:
        BuilderError: There is no such pooling, or it was taken back before.
        NotAllowedError: The actor is no analyst.
    """
    authorize(workspace, actor, "analyst")
    if dry_run:
        with workspace.store.read() as connection:
            return plan_within(connection, pooling_id)
    with workspace.store.write() as connection:
        return take_back_within(connection, pooling_id, called(actor))


def take_back_within(connection: Connection, pooling_id: int, actor: str) -> dict[str, Any]:
    """As `take_back_pooling`, inside a writing transaction, by somebody who was let pass."""
    pooling = _check(connection, pooling_id)
    told = _told(pooling_id, remove_pooling(connection, pooling_id, actor))
    keep_outcome(connection, pooling_id, {**pooling.outcome, "taken_back": told})
    activity.note(connection, actor, "pool.take_back", str(pooling_id), told)
    return told


def plan_within(connection: Connection, pooling_id: int) -> dict[str, Any]:
    """What `take_back_within` would do at this moment; nothing is written."""
    _check(connection, pooling_id)
    return _told(pooling_id, plan_removal(connection, pooling_id))


def _check(connection: Connection, pooling_id: int) -> Pooling:
    pooling = known_pooling(connection, pooling_id)
    if pooling.taken_back_at is not None:
        when = pooling.taken_back_at[:_TO_THE_MINUTE].replace("T", " ")
        raise BuilderError(
            f"filling {pooling_id} was taken back already, at {when} UTC",
            hint="`goldsmith pool --list` shows which ones stand.",
        )
    return pooling


def _told(pooling_id: int, removal: Removal) -> dict[str, Any]:
    return {
        "pooling_id": pooling_id,
        "pairs_removed": len(removal.removed),
        "stayed": removal.kept_of_its_own,
        "kept": removal.kept,
        "sources_removed": len(removal.sources),
        "leases": removal.leases,
    }
