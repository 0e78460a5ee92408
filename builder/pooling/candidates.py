"""Which documents might be worth grading: what retrievers, run files, users and chance name."""

from collections.abc import Iterable, Mapping, Sequence

from builder.errors import BuilderError
from builder.mining.deciding import deciding_evidence, flagged_of
from builder.pooling.chance import random_documents
from builder.pooling.clicked import Asked, clicked, skipped
from builder.pooling.contributors import LONGEST_SOURCE, RANDOM, Candidates, Contributor
from builder.pooling.plan import PoolPlan
from builder.pooling.retrieving import runs_of_retrievers
from builder.pooling.run_files import run_contributors
from builder.store import Connection
from builder.store.documents import all_doc_ids
from builder.store.pool_contents import known_query_ids, pooled_queries
from builder.store.task_rows import active_queries
from builder.workspace import Workspace
from evals.measures import ranked
from evals.records import Progress, Query, Run


def find_candidates(
    workspace: Workspace, plan: PoolPlan, progress: Progress | None = None
) -> Candidates:
    """Ask all sources of the plan; nothing is written.

    Raises:
        BuilderError: There are no documents or no such queries, or a run file holds no row.
        EvalsError: A model cannot be loaded, or a run file not be read.
    """
    plan.check()
    with workspace.store.read() as connection:
        doc_ids = all_doc_ids(connection)
        if not doc_ids:
            raise _nothing("documents", "corpus")
        queries = _asked_queries(connection, plan)
        known = known_query_ids(connection)
    found = Candidates([query.query_id for query in queries], [])
    if not queries:
        found.warnings.append("each of these queries has a pair already")
        return found
    if plan.clicks or plan.skipped:
        found.contributors.extend(_of_users(workspace, plan, queries, doc_ids, found, progress))
    runs = runs_of_retrievers(workspace, plan.retrievers, queries, plan.depth, progress)
    for name, run in runs:
        found.contributors.append(Contributor(source_name(name), _in_order(run)))
    found.contributors.extend(run_contributors(plan, queries, known, doc_ids, found))
    if plan.random:
        drawn = random_documents(found.queries, doc_ids, plan.random, plan.seed)
        found.contributors.append(Contributor(RANDOM, drawn, is_hopeful=False, is_ranked=False))
    found.contributors.sort(key=lambda one: not one.is_hopeful)
    return found


def source_name(name: str) -> str:
    """A name as the store notes it: of a long one, such as a folder, the end."""
    return name if len(name) <= LONGEST_SOURCE else f"…{name[1 - LONGEST_SOURCE :]}"


def _asked_queries(connection: Connection, plan: PoolPlan) -> list[Query]:
    queries = list(active_queries(connection))
    if not queries:
        raise _nothing("queries", "queries")
    for what, wanted in (("tag", plan.tag), ("source", plan.source)):
        if wanted is not None:
            queries = [query for query in queries if _has(query, what, wanted)]
        if not queries:
            raise BuilderError(
                f"no active query has the {what} {wanted!r}",
                hint="The page Queries shows tags and sources of all queries.",
            )
    pooled = pooled_queries(connection) if plan.only_new else set()
    return [query for query in queries if query.query_id not in pooled]


def _has(query: Query, what: str, wanted: str) -> bool:
    return wanted in query.tags if what == "tag" else query.source == wanted


def _nothing(what: str, command: str) -> BuilderError:
    return BuilderError(
        f"there is nothing to pool: no {what} here",
        hint=f"Import some with `goldsmith {command} import FILE`.",
    )


def _in_order(run: Run) -> dict[str, list[str]]:
    return {query_id: ranked(found) for query_id, found in run.items()}


def _of_users(
    workspace: Workspace,
    plan: PoolPlan,
    queries: Sequence[Query],
    doc_ids: Iterable[str],
    found: Candidates,
    progress: Progress | None,
) -> list[Contributor]:
    """What users clicked, and what they passed over."""
    evidence = deciding_evidence(workspace, progress=progress)
    found.flagged.update(flagged_of(evidence.summary))
    by_text = evidence.of_texts(list({query.text for query in queries}))
    corpus = frozenset(doc_ids)
    texts: Mapping[str, str] = {query.query_id: query.text for query in queries}
    named = []
    for wanted, choose in ((plan.clicks, clicked), (plan.skipped, skipped)):
        if wanted:
            chosen = choose(Asked(texts, by_text, corpus, wanted, plan.least_impressions))
            found.dropped.update(chosen.dropped)
            named.append(chosen.contributor)
    if not any(by_text.values()):
        found.warnings.append("the search log knows none of these queries")
    return named
