"""The top documents of retrievers for every query join the pool."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from builder.errors import BuilderError
from builder.people import Person, authorize, called
from builder.pooling.plan import PoolPlan
from builder.store import Connection, activity
from builder.store.people import find_person
from builder.store.pool import add_pairs
from builder.store.task_rows import active_queries, documents_by_id
from builder.workspace import Workspace
from evals.measures import ranked
from evals.records import Document, Progress, Query, Run
from evals.retrievers import retriever


def pool(
    workspace: Workspace,
    retrievers: Sequence[str] = ("bm25",),
    depth: int = 10,
    progress: Progress | None = None,
    actor: Person | None = None,
    *,
    plan: PoolPlan | None = None,
) -> dict[str, Any]:
    """Put the `depth` best documents of each retriever for every active query into the pool.

    Args:
        workspace: What is searched.
        retrievers: "bm25", "minilm", names or folders of SentenceTransformers; each is noted as
            the source of its pairs, with their ranks.
        depth: How many documents of each query.
        progress: Hears how far it is; may raise to stop, and then nothing was added.
        actor: Who asks for it in the browser; None at the terminal.
        plan: All that is asked for; then `retrievers` and `depth` do not count.

    Returns:
        pairs_added: pairs that the pool did not hold; by_source: retriever -> pairs that it named,
        new or not.

    Raises:
        BuilderError: There are no queries or no documents, or `depth` is below 1.
        NotAllowedError: The actor is no analyst.
        EvalsError: A model cannot be loaded.
    """
    authorize(workspace, actor, "analyst")
    del plan  # built below
    if depth < 1:
        raise BuilderError(f"depth is {depth}, must be at least 1")
    documents, queries = _read(workspace)
    runs = {}
    for name in retrievers:
        searcher = retriever(name)
        runs[searcher.name] = searcher.search(documents, queries, depth, progress)
    added = 0
    with workspace.store.write() as connection:
        for name, run in runs.items():
            added += _add(connection, run, name)
        named = Counter({name: sum(map(len, run.values())) for name, run in runs.items()})
        told = {"pairs_added": added, "by_source": dict(sorted(named.items()))}
        subject = ", ".join(sorted(named))
        activity.note(connection, called(actor), "pool.add", subject, {**told, "depth": depth})
    return told


def pool_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that pools: `parameters` holds actor (a name), retrievers and depth.

    Raises:
        BuilderError: As `pool`; NotAllowedError and EvalsError likewise.
    """
    options = dict(parameters)
    name = options.pop("actor")
    with workspace.store.read() as connection:
        actor = find_person(connection, name)
    if actor is None:
        raise BuilderError(f"nobody is called {name} here")
    return pool(workspace, progress=progress, actor=actor, **options)


def preview(
    workspace: Workspace, plan: PoolPlan, progress: Progress | None = None
) -> dict[str, Any]:
    """What `pool` would do by this plan at this moment, in the same words; nothing is written.

    Raises:
        BuilderError: As `pool`; EvalsError likewise.
    """
    raise NotImplementedError


def repeat_pooling(
    workspace: Workspace,
    pooling_id: int,
    progress: Progress | None = None,
    actor: Person | None = None,
    *,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Pool once more by the same plan and seed, on what is there today; as `pool`.

    Returns:
        As `pool`, and repeats: the pooling_id that was repeated.

    Raises:
        BuilderError: There is no such pooling, or it filled holes of an evaluation.
        NotAllowedError: The actor is no analyst.
    """
    raise NotImplementedError


def repeat_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that repeats a pooling: `parameters` holds actor (a name) and pooling_id.

    Start it with the kind "pool" too, so that no two fill the pool at once.
    """
    raise NotImplementedError


def _read(workspace: Workspace) -> tuple[list[Document], list[Query]]:
    with workspace.store.read() as connection:
        documents = list(documents_by_id(connection))
        queries = list(active_queries(connection))
    for rows, what in ((documents, "corpus"), (queries, "queries")):
        if not rows:
            raise BuilderError(
                f"there is nothing to pool: no {'documents' if what == 'corpus' else what} here",
                hint=f"Import some with `goldsmith {what} import FILE`.",
            )
    return documents, queries


def _add(connection: Connection, run: Run, source: str) -> int:
    """Put the run's pairs into the pool with their ranks, from 1; how many were not there."""
    placed = [
        (query_id, doc_id, rank)
        for query_id, found in sorted(run.items())
        for rank, doc_id in enumerate(ranked(found), start=1)
    ]
    pairs = [(query_id, doc_id) for query_id, doc_id, _ in placed]
    return add_pairs(connection, pairs, source, [rank for _, _, rank in placed])
