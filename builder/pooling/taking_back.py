"""Takes a pooling back: only what it alone brought and nobody has touched."""

from typing import Any

from builder.people import Person
from builder.workspace import Workspace


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
        pooling_id; pairs_removed; kept: {reason: pairs that stay}, of judged, decided, query_words,
        rechecked, other_pooling, other_source; sources_removed: rows that said who named a pair
        that stays; leases: pairs that were on raters' screens and are gone.

    Raises:
        BuilderError: There is no such pooling, or it was taken back before.
        NotAllowedError: The actor is no analyst.
    """
    raise NotImplementedError
