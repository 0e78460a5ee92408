"""The index of the corpus on disk, so that a restart need not read the corpus again."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from builder.store import Connection
from builder.store.corpus_search import corpus_fingerprint
from builder.store.documents import count_documents
from builder.store.task_rows import documents_by_id
from evals.bm25 import BM25Index, BM25Retriever
from evals.records import Progress

_DOC_IDS = "doc_ids.json"


class SearchIndex(NamedTuple):
    """bm25 over the corpus, without its texts; only read once it is made.

    Attributes:
        doc_ids: The document of each place in the index.
        bm25: The index.
    """

    doc_ids: list[str]
    bm25: BM25Index


def kept_or_built(
    connection: Connection, folder: Path, progress: Progress | None = None
) -> SearchIndex:
    """The index of the corpus as `connection` sees it: from the folder, else built and put there.

    Only the latest is kept. What is broken there is built anew; where nothing can be written, the
    index lives in memory alone.

    Args:
        connection: Inside a transaction.
        folder: Where it is kept.
        progress: Hears how far the building is; may raise to stop.
    """
    named = f"{BM25Retriever().key} {corpus_fingerprint(connection)}"
    place = folder / sha256(named.encode()).hexdigest()[:32]
    with suppress(OSError, EOFError, ValueError, KeyError, TypeError):
        return _read(place)
    built = _build(connection, progress)
    with suppress(OSError):
        _write(built, place)
    return built


def _build(connection: Connection, progress: Progress | None) -> SearchIndex:
    doc_ids: list[str] = []
    count = count_documents(connection) if progress else 0

    def texts() -> Iterator[str]:
        for document in documents_by_id(connection):
            doc_ids.append(document.doc_id)
            yield document.encoder_text

    return SearchIndex(doc_ids, BM25Index(texts(), count, progress))


def _read(place: Path) -> SearchIndex:
    doc_ids = json.loads((place / _DOC_IDS).read_text(encoding="utf-8"))
    return SearchIndex(doc_ids, BM25Index.load(place))


def _write(index: SearchIndex, place: Path) -> None:
    """Whole or not at all: what is half written has another name."""
    place.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=place.parent))
    try:
        index.bm25.save(unfinished)
        (unfinished / _DOC_IDS).write_text(json.dumps(index.doc_ids), encoding="utf-8")
        shutil.rmtree(place, ignore_errors=True)
        unfinished.rename(place)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    for other in place.parent.iterdir():
        if other != place:
            shutil.rmtree(other, ignore_errors=True)
