"""What retrievers rank for queries, on the corpus of a workspace, with all that is kept of it."""

from collections.abc import Iterable, Iterator, Sequence

from builder.pooling.corpus_search import CACHE
from builder.pooling.kept_index import kept_or_built
from builder.store.documents import texts_by_id
from builder.workspace import Workspace
from evals.bm25 import words
from evals.embeddings import FOLDER
from evals.records import Document, Progress, Query, Run
from evals.retrievers import BM25, retriever


def runs_of_retrievers(
    workspace: Workspace,
    retrievers: Iterable[str],
    queries: Sequence[Query],
    depth: int,
    progress: Progress | None = None,
) -> Iterator[tuple[str, Run]]:
    """The name and run of each retriever, one after the other.

    Only one retriever is held at a time, and the corpus only while one reads its texts. Embeddings
    that are kept serve the pooling after its preview, and the next evaluation.

    Args:
        workspace: Whose corpus.
        retrievers: "bm25", "minilm", names or folders of SentenceTransformers; one that is named
            twice is asked once.
        queries: What is searched for.
        depth: How many documents of each query.
        progress: Hears how far it is; may raise to stop.

    Raises:
        EvalsError: A model cannot be loaded.
    """
    corpus: list[Document] = []
    for name in dict.fromkeys(retrievers):
        searcher = retriever(name, embeddings=workspace.cache_folder / FOLDER)
        if name == BM25:
            yield searcher.name, _bm25_run(workspace, queries, depth, progress)
            continue
        if not corpus:
            with workspace.store.read() as connection:
                corpus.extend(texts_by_id(connection))
        yield searcher.name, searcher.search(corpus, queries, depth, progress)


def _bm25_run(
    workspace: Workspace, queries: Sequence[Query], depth: int, progress: Progress | None
) -> Run:
    """As `BM25Retriever.search`, on the index that raters' searches use, too."""
    with workspace.store.read() as connection:
        index = kept_or_built(connection, workspace.cache_folder / CACHE, progress)
    run = {}
    for done, query in enumerate(queries, start=1):
        # The index is in the order of the ids: of equal scores the last one is the first in
        # trec_eval.
        scores, places = index.bm25.best(words(query.text), depth, last_first=True)
        found = (index.doc_ids[place] for place in places.tolist())
        run[query.query_id] = dict(zip(found, scores.tolist(), strict=True))
        if progress:
            progress("searching", done, len(queries))
    return run
