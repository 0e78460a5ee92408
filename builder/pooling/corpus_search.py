"""A rater looks for documents that no system put into the pool, and adds them.

What bm25 ranks high is in the pool already; raters know of documents that say it in other words.
The index is opened once for a process and version of the corpus, at the first search; it lies in
the workspace's cache, and is built where it is not there. A rater sees what is found and whether
the pool holds it: no system's rank, no grade.
"""

from dataclasses import dataclass, field
from threading import Lock
from weakref import WeakKeyDictionary

from builder.errors import BuilderError
from builder.judging.pairs import grading_person, known_query
from builder.pooling.kept_index import SearchIndex, kept_or_built
from builder.store import Connection, Store, activity
from builder.store.corpus_search import (
    CorpusVersion,
    corpus_version,
    is_active_query,
    pair_id_of,
)
from builder.store.documents import document_keys, documents_by_ids
from builder.store.pool import add_pairs, pairs_outside
from builder.workspace import Workspace
from evals.bm25 import words
from evals.records import Document

SOURCE = "rater"
"""Who named a pair that a rater added, in the pool's sources."""

CACHE = "corpus_search"
"""The folder of the index in the workspace's cache."""


@dataclass(frozen=True, slots=True)
class Found:
    """One document that a search found.

    Attributes:
        document: The document.
        in_pool: Whether the pool holds it for the query already.
    """

    document: Document
    in_pool: bool


def search_corpus(
    workspace: Workspace, text: str, query_id: str, n: int = 10, offset: int = 0
) -> list[Found]:
    """The documents that match best by bm25, the best first; none that shares no word.

    The first search after a start or an import reads the whole corpus; others wait for it.

    Args:
        workspace: Whose corpus.
        text: What to look for.
        query_id: For which query a document would join the pool.
        n: How many at most.
        offset: How many of the best to leave out: the next page.

    Raises:
        BuilderError: There is no such query, or `n` is below 1 or `offset` below 0.
    """
    if n < 1 or offset < 0:
        raise BuilderError(f"n is {n} and offset {offset}: must be at least 1 and 0")
    with workspace.store.read() as connection:
        known_query(connection, query_id)
        doc_ids = _best(_index(workspace, connection), text, offset + n)[offset:]
        found = documents_by_ids(connection, doc_ids)
        outside = pairs_outside(connection, [(query_id, doc_id) for doc_id in doc_ids])
    unpooled = {doc_id for _, doc_id in outside}
    return [Found(found[doc_id], doc_id not in unpooled) for doc_id in doc_ids]


def add_by_rater(workspace: Workspace, rater: str, query_id: str, doc_id: str) -> int:
    """Put a document into the pool for a query because a rater says so.

    Returns:
        The pair's pair_id; a pair that raters are asked for already stays as it is.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
        BuilderError: The query is unknown or retired, or the document is unknown.
    """
    with workspace.store.write() as connection:
        name = grading_person(connection, rater).name
        _check(connection, query_id, doc_id)
        known = pair_id_of(connection, query_id, doc_id)
        if known is not None and not pairs_outside(connection, [(query_id, doc_id)]):
            return known
        add_pairs(connection, [(query_id, doc_id)], SOURCE)
        details = {"pairs_added": 1, "by_source": {SOURCE: 1}, "doc_id": doc_id}
        activity.note(connection, name, "pool.add", query_id, details)
        added = pair_id_of(connection, query_id, doc_id)
    if added is None:
        raise LookupError(f"the pair of {query_id} and {doc_id} has vanished")
    return added


def _check(connection: Connection, query_id: str, doc_id: str) -> None:
    known_query(connection, query_id)
    if not is_active_query(connection, query_id):
        raise BuilderError(
            f"the query {query_id} is retired: nobody grades it", hint="go on with another query"
        )
    if not document_keys(connection, [doc_id]):
        raise BuilderError(
            f"there is no document {doc_id} in this workspace", hint="search once more"
        )


@dataclass(slots=True)
class _Kept:
    """The index of one store, and the lock of whoever builds it."""

    lock: Lock = field(default_factory=Lock)
    version: CorpusVersion | None = None
    index: SearchIndex | None = None


_KEPT: WeakKeyDictionary[Store, _Kept] = WeakKeyDictionary()
_KEPT_LOCK = Lock()


def _index(workspace: Workspace, connection: Connection) -> SearchIndex:
    """The index of the corpus as `connection` sees it; read or built where it is another one."""
    with _KEPT_LOCK:
        kept = _KEPT.setdefault(workspace.store, _Kept())
    version = corpus_version(connection)
    with kept.lock:
        index = kept.index
        if index is None or kept.version != version:
            kept.index = None  # the old one goes before the new one is made: half the memory
            index = kept_or_built(connection, workspace.cache_folder / CACHE)
            kept.index, kept.version = index, version
    return index


def _best(index: SearchIndex, text: str, depth: int) -> list[str]:
    """The doc_ids of the best documents; of equal scores the smaller doc_id first."""
    _, places = index.bm25.best(words(text), depth)
    return [index.doc_ids[place] for place in places.tolist()]
