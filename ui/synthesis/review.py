"""Review of generated queries by keyboard: one candidate at a time, beside its passage."""

from builder.people import Person
from builder.workspace import Workspace


def show_review(workspace: Workspace, person: Person) -> None:
    """Draw the review: filters, progress, the candidate in hand and its bar of keys.

    Args:
        workspace: Whose candidates.
        person: Who reviews; has to be an analyst.
    """
    raise NotImplementedError
