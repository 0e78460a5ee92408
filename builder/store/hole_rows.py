"""What the store knows of the unjudged documents that an evaluation brought to light."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from sqlalchemy import Connection, select

from builder.store.schema import documents, pairs, queries

BATCH = 500
T = TypeVar("T")


def askable_queries(connection: Connection, query_ids: Iterable[str]) -> dict[str, bool]:
    """query_id -> whether raters are asked about it: not where it is retired; unknown ones lack."""
    found: dict[str, bool] = {}
    columns = select(queries.c.query_id, queries.c.status)
    for batch in _batches(query_ids):
        rows = connection.execute(columns.where(queries.c.query_id.in_(batch)))
        found.update((row.query_id, row.status == "active") for row in rows)
    return found


def pooled_documents(connection: Connection, query_ids: Iterable[str]) -> dict[str, dict[str, int]]:
    """query_id -> doc_id -> how many more grades the pair wants, of all pairs in the pool."""
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    columns = select(queries.c.query_id, documents.c.doc_id, pairs.c.open_slots)
    joined = columns.select_from(pairs.join(queries).join(documents))
    for batch in _batches(query_ids):
        for row in connection.execute(joined.where(queries.c.query_id.in_(batch))):
            found[row.query_id][row.doc_id] = row.open_slots
    return dict(found)


def known_documents(connection: Connection, doc_ids: Iterable[str]) -> set[str]:
    """Those of the documents that the corpus has."""
    found: set[str] = set()
    for batch in _batches(doc_ids):
        chosen = select(documents.c.doc_id).where(documents.c.doc_id.in_(batch))
        found.update(connection.execute(chosen).scalars())
    return found


def _batches(ids: Iterable[T]) -> Iterator[Sequence[T]]:
    rows = iter(ids)
    while batch := list(islice(rows, BATCH)):
        yield batch
