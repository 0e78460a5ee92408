"""Takes a synthesis back: its queries go, unless somebody has worked on them."""

from typing import Any

from builder.people import Person
from builder.workspace import Workspace


def take_back_synthesis(
    workspace: Workspace, synthesis_id: int, actor: Person | None = None, *, dry_run: bool = False
) -> dict[str, Any]:
    """Let the queries go that a synthesis brought and nobody has worked on.

    The ledger, the candidates and what was paid stay on record. Queries that a person graded, that
    a validation drew, that raters spoke of, or that were changed or pooled otherwise stay.

    Args:
        workspace: Whose queries.
        synthesis_id: Which run.
        actor: Who asks for it in the browser; None at the terminal.
        dry_run: Only tell what would become of it; nothing is written.

    Returns:
        synthesis_id; queries_removed; candidates: queries that it wrote, and that are looked at no
        more; kept: {reason: queries that stay}; again: whether it was taken back before.

    Raises:
        BuilderError: There is no such run, or it is at work.
        NotAllowedError: The actor is no analyst.
    """
    raise NotImplementedError
