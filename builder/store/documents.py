"""The corpus in the store: documents, written in bulk and read as a stream."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from builder.store.batches import batches
from builder.store.schema import documents
from evals.records import Document

BATCH = 1000


def content_hash(document: Document) -> str:
    """SHA-256 of title, text and metadata: equal where two documents say the same."""
    fields = json.dumps(dict(document.metadata), sort_keys=True) if document.metadata else "{}"
    # Each part with its length before it: no two documents run together to the same bytes.
    parts = (f"{len(part)}:{part}" for part in (document.title, document.text, fields))
    return hashlib.sha256("".join(parts).encode()).hexdigest()


def document_row(document: Document) -> dict[str, Any]:
    """The document as a row of the table `documents`."""
    metadata = document.metadata
    return {
        "doc_id": document.doc_id,
        "title": document.title,
        "text": document.text,
        "metadata": json.dumps(dict(metadata), ensure_ascii=False) if metadata else "{}",
        "content_hash": content_hash(document),
    }


def insert_documents(connection: Connection, new: Iterable[Document]) -> int:
    """Write documents whose ids are all unknown; how many.

    Raises:
        sqlalchemy.exc.IntegrityError: An id is known already.
    """
    rows = (document_row(document) for document in new)
    written = 0
    for batch in batches(rows, BATCH):
        connection.execute(insert(documents), batch)
        written += len(batch)
    return written


def document_keys(connection: Connection, doc_ids: Sequence[str]) -> dict[str, int]:
    """doc_id -> the store's key, of those among `doc_ids` (at most some thousand) that exist."""
    chosen = select(documents.c.doc_id, documents.c.doc_key).where(documents.c.doc_id.in_(doc_ids))
    return {row.doc_id: row.doc_key for row in connection.execute(chosen)}


def known_documents(connection: Connection, doc_ids: Iterable[str]) -> set[str]:
    """Those of the documents that the corpus has."""
    found: set[str] = set()
    for batch in batches(doc_ids, BATCH):
        found |= document_keys(connection, batch).keys()
    return found


def all_doc_ids(connection: Connection) -> list[str]:
    """Every doc_id of the corpus, in their order."""
    return list(
        connection.execute(select(documents.c.doc_id).order_by(documents.c.doc_id)).scalars()
    )


def get_document(connection: Connection, doc_id: str) -> Document | None:
    """The document of this id, or None."""
    row = connection.execute(select(documents).where(documents.c.doc_id == doc_id)).one_or_none()
    return None if row is None else _document(row)


def documents_by_ids(connection: Connection, doc_ids: Sequence[str]) -> dict[str, Document]:
    """doc_id -> the document, of those among `doc_ids` (at most some thousand) that exist."""
    chosen = select(documents).where(documents.c.doc_id.in_(doc_ids))
    return {row.doc_id: _document(row) for row in connection.execute(chosen)}


def iterate_documents(connection: Connection) -> Iterator[Document]:
    """All documents in the order in which they came; memory stays flat."""
    every = select(documents).order_by(documents.c.doc_key)
    for row in connection.execute(every, execution_options={"yield_per": BATCH}):
        yield _document(row)


def texts_by_id(connection: Connection) -> Iterator[Document]:
    """All documents ordered by doc_id, without their metadata, which no retriever reads."""
    every = select(documents.c.doc_id, documents.c.title, documents.c.text)
    every = every.order_by(documents.c.doc_id)
    for row in connection.execute(every, execution_options={"yield_per": BATCH}):
        yield Document(row.doc_id, row.title, row.text)


def count_documents(connection: Connection) -> int:
    """How many documents the corpus has."""
    return connection.execute(select(func.count()).select_from(documents)).scalar_one()


def _document(row: Row[tuple[object, ...]]) -> Document:
    metadata = json.loads(row.metadata) if row.metadata != "{}" else {}
    return Document(row.doc_id, row.title, row.text, metadata)
