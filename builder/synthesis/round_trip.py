"""The round trip: does a query lead back to the document that it was written for?

Two retrievers are asked that look for different things, and the rank in each is shown. What neither
finds is flagged, not dropped: a set without what a retriever misses would flatter that retriever.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final

from builder.errors import BuilderError
from builder.pooling.candidates import source_name
from builder.pooling.retrieving import runs_of_retrievers
from builder.store.synthetic_queries import Candidate, Finding, Judged, texts_of
from builder.workspace import Workspace
from evals.encoders import encoder
from evals.measures import ranked
from evals.records import EvalsError, Progress, Query, Run

DEPTH: Final = 100
"""How far down a rank is looked for."""
FOUND: Final = 10
"""Down to this rank the document counts as found."""
RETRIEVERS: Final = ("bm25", "minilm")
"""One looks for the same words, the other for the same sense."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What the retrievers rank.

    Attributes:
        runs: Retriever -> its run.
        not_run: Retriever -> why it did not run.
    """

    runs: dict[str, Run] = field(default_factory=dict)
    not_run: dict[str, str] = field(default_factory=dict)


def check_retrievers(names: Iterable[str]) -> None:
    """Let pass what can be asked: an unknown name is found out before anything is paid for.

    "minilm" passes where its package is absent: it is one of the two that nobody has to name.

    Raises:
        EvalsError: There is no such model, or it cannot be loaded.
    """
    for name in dict.fromkeys(names):
        if name not in RETRIEVERS:
            _ = encoder(name).model


def retrieve(
    workspace: Workspace,
    texts: Mapping[str, str],
    retrievers: Sequence[str] = RETRIEVERS,
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
    queries = [Query(name, text) for name, text in texts.items()]
    found = Retrieved()
    for name in dict.fromkeys(retrievers):
        try:
            found.runs.update(runs_of_retrievers(workspace, (name,), queries, depth, progress))
        except EvalsError as error:
            found.not_run[name] = str(error)
    return found


def rank_of(run: Run, name: str, doc_id: str) -> int | None:
    """The 1-based rank of a document; None where it is not among those that were found."""
    scores = run.get(name, {})
    return ranked(scores).index(doc_id) + 1 if doc_id in scores else None


def not_found(ranks: Mapping[str, int | None]) -> Finding | None:
    """That no retriever has the document among its first `FOUND`; None where none ran.

    Args:
        ranks: Retriever -> the rank of the document, None beyond `DEPTH`.
    """
    if not ranks or any(rank is not None and rank <= FOUND for rank in ranks.values()):
        return None
    told = ", ".join(
        f"{name}: {'beyond ' + str(DEPTH) if rank is None else 'rank ' + str(rank)}"
        for name, rank in ranks.items()
    )
    return Finding("not_found", f"its document is not among the first {FOUND} of {told}")


def travelled(candidate: Candidate, retrieved: Retrieved) -> Judged:
    """A kept candidate with its ranks, flagged where no retriever finds its document."""
    name = str(candidate.candidate_id)
    ranks = {source: rank_of(run, name, candidate.doc_id) for source, run in retrieved.runs.items()}
    lost = not_found(ranks)
    flags = tuple(flag for flag in candidate.flags if flag.filter != "not_found")
    measured = {"ranks": ranks, "depth": DEPTH, "not_run": retrieved.not_run}
    return Judged(
        candidate.candidate_id,
        flags=flags if lost is None else (*flags, lost),
        measured={**candidate.measured, **measured},
    )


def tried(candidate: Candidate) -> set[str]:
    """The retrievers that were asked for this candidate, those that did not run, too."""
    measured = candidate.measured
    return set(measured.get("ranks", ())) | set(measured.get("not_run", ()))


def other_documents(
    workspace: Workspace,
    query_ids: Sequence[str],
    depth: int = FOUND,
    retrievers: Sequence[str] = RETRIEVERS,
    progress: Progress | None = None,
) -> dict[str, list[tuple[str, str, int]]]:
    """What two retrievers rank for queries of the set: documents that may answer them as well.

    Which retrievers ran shows in what they name; `retrieve` tells why one did not.

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
    if not query_ids:
        return {}
    with workspace.store.read() as connection:
        texts = texts_of(connection, query_ids)
    if unknown := [one for one in query_ids if one not in texts]:
        raise BuilderError(f"there is no query {unknown[0]}")
    retrieved = retrieve(workspace, texts, retrievers, depth, progress)
    if not retrieved.runs:
        raise BuilderError(
            "no retriever runs: "
            + "; ".join(f"{name}: {why}" for name, why in retrieved.not_run.items())
        )
    return {one: list(_in_turns(one, retrieved.runs)) for one in query_ids}


def _in_turns(name: str, runs: Mapping[str, Run]) -> Iterable[tuple[str, str, int]]:
    lists = [
        [(doc_id, source_name(source), rank) for rank, doc_id in enumerate(ranked(run[name]), 1)]
        for source, run in runs.items()
    ]
    for turn in zip_longest(*lists):
        yield from (one for one in turn if one is not None)
