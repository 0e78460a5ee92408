"""The demo's search log: what each model finds for graded and other queries, clicked as simulated.

Both models search the corpus once for every query of the log; the embeddings are kept, so that
neither pooling nor evaluation encodes the corpus again.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from builder.demo.clicks import LISTED, Traffic, simulate_log
from builder.demo.log_queries import MoreQueries, more_queries
from builder.judging.aggregation import aggregate
from builder.store.judgments import current_grades
from builder.store.task_rows import active_queries, documents_by_id
from builder.workspace import Workspace
from evals.embeddings import FOLDER
from evals.measures import ranked
from evals.records import Document, Progress, Qrels, Query
from evals.retrievers import retriever

MORE_QUERIES = 400
"""Made of the corpus, beside the graded ones: most queries of a log are searched for seldom."""


def searched_and_clicked(
    workspace: Workspace, models: Sequence[str], traffic: Traffic, progress: Progress
) -> Iterator[dict[str, Any]]:
    """The events of the log: what each model really finds, clicked as grades and names say.

    Args:
        workspace: Its corpus, its queries and their grades.
        models: Who searches; the model versions of the log are called the same.
        traffic: How much, and the seed.
        progress: Hears how far the searches are; may raise to stop.
    """
    documents, known, grades = _read(workspace)
    more = more_queries(documents, known, MORE_QUERIES, traffic.seed)
    queries = [*known, *more.queries]
    rankings = {}
    for name in models:
        searcher = retriever(name, embeddings=workspace.cache_folder / FOLDER)
        run = searcher.search(documents, queries, LISTED, _of(name, progress))
        rankings[name] = {query_id: ranked(found) for query_id, found in run.items()}
    progress("simulating searches", 0, None)
    return simulate_log(rankings, known, _likes(grades, more), traffic, others=more.queries)


def _read(workspace: Workspace) -> tuple[list[Document], list[Query], Qrels]:
    with workspace.store.read() as connection:
        grades = aggregate(current_grades(connection))
        documents = list(documents_by_id(connection))
        graded = [each for each in active_queries(connection) if each.query_id in grades]
    return documents, graded, grades


def _likes(grades: Qrels, more: MoreQueries) -> Qrels:
    return {**grades, **more.likes}


def _of(model: str, progress: Progress) -> Progress:
    """Progress that says who searches."""

    def tell(what: str, done: int, total: int | None) -> None:
        progress(f"{model} for the search log: {what}", done, total)

    return tell
