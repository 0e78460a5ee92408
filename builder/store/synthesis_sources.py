"""What a synthesis writes queries for, read as streams: memory stays flat."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from builder.store.documents import BATCH
from builder.store.llm_calls import went_out
from builder.store.schema import documents
from builder.store.synthesis_schema import llm_calls, syntheses, synthesis_tasks
from evals.records import Document


class DocumentMark(NamedTuple):
    """What tells whether, and for which part of the corpus, a document may be chosen.

    Attributes:
        doc_id: Its id.
        title: Its title.
        beginning: The first characters of its text.
        characters: Of its whole text.
        metadata: Its further fields; {} where they were not asked for.
    """

    doc_id: str
    title: str
    beginning: str
    characters: int
    metadata: Mapping[str, Any]


def document_marks(
    connection: Connection, beginning: int, *, with_metadata: bool = False
) -> Iterator[DocumentMark]:
    """A mark of each document, by descending doc_id; no text is read whole.

    Args:
        connection: Inside a transaction.
        beginning: How many characters of each text are wanted, after blanks.
        with_metadata: Whether the further fields are.
    """
    text, fields = documents.c.text, documents.c.metadata
    columns = (
        documents.c.doc_id,
        documents.c.title,
        func.substr(func.ltrim(text), 1, beginning).label("beginning"),
        func.length(text).label("characters"),
        *([fields] if with_metadata else []),
    )
    every = select(*columns).order_by(documents.c.doc_id.desc())
    for doc_id, title, start, characters, *rest in connection.execute(
        every, execution_options={"yield_per": BATCH}
    ):
        metadata = json.loads(rest[0]) if rest and rest[0] != "{}" else {}
        yield DocumentMark(doc_id, title, start, characters, metadata)


def texts_downwards(connection: Connection) -> Iterator[Document]:
    """All documents by descending doc_id, as embeddings of them are kept; without metadata."""
    every = select(documents.c.doc_id, documents.c.title, documents.c.text)
    every = every.order_by(documents.c.doc_id.desc())
    for row in connection.execute(every, execution_options={"yield_per": BATCH}):
        yield Document(row.doc_id, row.title, row.text)


def documents_in_use(connection: Connection) -> set[str]:
    """The documents that were sent for syntheses which stand; planned is not sent."""
    calls = llm_calls.join(synthesis_tasks, synthesis_tasks.c.task_id == llm_calls.c.task_id)
    joined = calls.join(syntheses).join(documents, documents.c.doc_key == synthesis_tasks.c.doc_key)
    asked = select(documents.c.doc_id).distinct().select_from(joined)
    return set(
        connection.execute(asked.where(syntheses.c.taken_back_at.is_(None), went_out())).scalars()
    )
