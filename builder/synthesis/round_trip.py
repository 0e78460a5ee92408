"""The round trip: does a query lead back to the document that it was written for?

Two retrievers are asked that look for different things, and the rank in each is shown. What neither
finds is flagged, not dropped: a set without what a retriever misses would flatter that retriever.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from builder.workspace import Workspace
from evals.records import Progress, Run

DEPTH: Final = 100
"""How far down a rank is looked for."""
FOUND: Final = 10
"""Down to this rank the document counts as found."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What the retrievers rank.

    Attributes:
        runs: Retriever -> its run.
        not_run: Retriever -> why it did not run.
    """

    runs: dict[str, Run] = field(default_factory=dict)
    not_run: dict[str, str] = field(default_factory=dict)


def retrieve(
    workspace: Workspace,
    texts: Mapping[str, str],
    retrievers: Sequence[str],
    depth: int = DEPTH,
    progress: Progress | None = None,
) -> Retrieved:
    """What each retriever ranks for each text, over the whole corpus.

    Args:
        workspace: Whose corpus, and whose kept index and embeddings.
        texts: Any name -> what is searched for.
        retrievers: "bm25", "minilm", names or folders of SentenceTransformers.
        depth: How many documents of each.
        progress: Hears what is done; may raise to cancel.
    """
    raise NotImplementedError


def other_documents(
    workspace: Workspace,
    query_ids: Sequence[str],
    depth: int = FOUND,
    retrievers: Sequence[str] = ("bm25", "minilm"),
    progress: Progress | None = None,
) -> dict[str, list[tuple[str, str, int]]]:
    """What two retrievers rank for queries of the set: documents that may answer them as well.

    Args:
        workspace: Whose.
        query_ids: Known queries.
        depth: How many documents of each retriever.
        retrievers: Which; at least one has to be installed.
        progress: Hears what is done; may raise to cancel.

    Returns:
        query_id -> (doc_id, retriever, 1-based rank) in turns: the first of each retriever, then
        the second of each, …; a document that both name comes twice. The source document is among
        them where it is found. A query for which nothing is found has an empty list.

    Raises:
        BuilderError: No retriever runs, or a query is unknown.
    """
    raise NotImplementedError
