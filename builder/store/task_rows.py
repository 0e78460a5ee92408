"""What goes into a task folder, in the order of the ids; memory stays flat."""

import json
from collections.abc import Iterator, Mapping

from sqlalchemy import Connection, func, select

from builder.store.schema import documents, queries
from evals.records import Document, Query, Sample

BATCH = 1000


def documents_by_id(connection: Connection) -> Iterator[Document]:
    """All documents, ordered by doc_id."""
    every = select(documents.c.doc_id, documents.c.title, documents.c.text, documents.c.metadata)
    every = every.order_by(documents.c.doc_id)
    for row in connection.execute(every, execution_options={"yield_per": BATCH}):
        doc_id, title, text, metadata = row
        yield Document(doc_id, title, text, {} if metadata == "{}" else json.loads(metadata))


def active_queries(
    connection: Connection, samples: Mapping[str, Sample] | None = None
) -> Iterator[Query]:
    """The queries that are not retired, ordered by query_id.

    Args:
        connection: Inside a transaction.
        samples: query_id -> how it was drawn from the log, where that is wanted.
    """
    drawn = samples or {}
    active = select(queries).where(queries.c.status == "active").order_by(queries.c.query_id)
    for row in connection.execute(active, execution_options={"yield_per": BATCH}):
        tags = tuple(json.loads(row.tags))
        sample = drawn.get(row.query_id)
        yield Query(row.query_id, row.text, row.need, tags, row.source, sample)


def count_retired_queries(connection: Connection) -> int:
    """How many queries are retired."""
    counted = select(func.count()).where(queries.c.status == "retired")
    return connection.execute(counted).scalar_one()
