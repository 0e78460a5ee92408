"""What a search in the corpus asks of the store."""

import hashlib
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from builder.store import activity
from builder.store.documents import BATCH
from builder.store.schema import documents, pairs, queries

_CORPUS_IMPORT = "import.corpus"


class CorpusVersion(NamedTuple):
    """Another one whenever documents were added or replaced.

    Attributes:
        documents: How many there are.
        last_key: The greatest doc_key; 0 where there are none.
        last_import: The log's number of the import that may have replaced texts; 0 if none.
    """

    documents: int
    last_key: int
    last_import: int


def corpus_version(connection: Connection) -> CorpusVersion:
    """Of which version the corpus is now."""
    counted = select(func.count(), func.coalesce(func.max(documents.c.doc_key), 0))
    number, last_key = connection.execute(counted.select_from(documents)).one()
    latest = activity.entries(connection, limit=1, prefix=_CORPUS_IMPORT)
    return CorpusVersion(number, last_key, latest[0].activity_id if latest else 0)


def corpus_fingerprint(connection: Connection) -> str:
    """SHA-256 of what all documents say: equal for equal corpora, whenever they came."""
    said = select(documents.c.doc_id, documents.c.content_hash).order_by(documents.c.doc_id)
    digest = hashlib.sha256()
    for row in connection.execute(said, execution_options={"yield_per": BATCH}):
        # Each part with its length before it: no two documents run together to the same bytes.
        digest.update(f"{len(row.doc_id)}:{row.doc_id}{row.content_hash}".encode())
    return digest.hexdigest()


def pair_id_of(connection: Connection, query_id: str, doc_id: str) -> int | None:
    """The pair of this query and document; None if the pool does not hold it."""
    chosen = select(pairs.c.pair_id).select_from(pairs.join(queries).join(documents))
    chosen = chosen.where(queries.c.query_id == query_id, documents.c.doc_id == doc_id)
    return connection.execute(chosen).scalar_one_or_none()


def is_active_query(connection: Connection, query_id: str) -> bool:
    """Whether there is such a query, not retired."""
    status = select(queries.c.status).where(queries.c.query_id == query_id)
    return connection.execute(status).scalar_one_or_none() == "active"
