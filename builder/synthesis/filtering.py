"""Filters what a model wrote: the cheap questions first, and nothing is thrown away.

A rejected candidate keeps its reasons with their numbers, so that a reviewer can see and rescue it.
Near-duplicates are looked for among those that nothing else speaks against. The round trip rejects
nothing: to drop what a retriever does not find would favour that retriever.
"""

from collections.abc import Sequence
from typing import Any, Final

from builder.workspace import Workspace
from evals.records import Progress

REASONS: Final = (
    "finish_reason",
    "more_than_asked",
    "empty",
    "length",
    "refers_to_document",
    "language",
    "example_copy",
    "copied_span",
    "injection",
    "near_duplicate_document",
    "near_duplicate_set",
    "in_log",
)
"""Why a candidate is rejected, in the order in which it is asked."""

FLAGS: Final = ("not_found", "suspect_document")
"""What a reviewer should know of a candidate that is kept."""

RETRIEVERS: Final = ("bm25", "minilm")


def filter_synthesis(
    workspace: Workspace,
    synthesis_id: int,
    *,
    retrievers: Sequence[str] = RETRIEVERS,
    progress: Progress | None = None,
    anew: bool = False,
) -> dict[str, Any]:
    """Let the filters see what a run wrote, and write what they say beside it.

    What is kept is known to be so before the round trip begins; a round trip that was cancelled is
    made good by the next call.

    Args:
        workspace: Whose.
        synthesis_id: Which run.
        retrievers: Of the round trip; one that is not installed is told, not left out silently.
        progress: Hears what is done; may raise to cancel.
        anew: See those again that were seen before; never those that somebody has reviewed.

    Returns:
        generated, kept, rejected ({reason: n}, the decisive one of each) and flagged ({flag: n}):
        of the whole run, generated = kept + all rejected; "not_run": {retriever: why it did not
        run}.

    Raises:
        BuilderError: There is no such run.
    """
    raise NotImplementedError
