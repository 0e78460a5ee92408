"""Retrievers: each turns documents and queries into a run."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from evals.bm25 import BM25Retriever
from evals.embeddings import kept_embeddings
from evals.encoders import Encoder, Prompts, Similarity, encoder
from evals.exact import ExactIndex
from evals.records import Document, EvalsError, Progress, Query, Run
from evals.runfile import RunFile, read_run, write_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from evals.encoders import Matrix

__all__ = [
    "BM25Retriever",
    "DenseRetriever",
    "Retriever",
    "RunFile",
    "read_run",
    "retriever",
    "write_run",
]

BM25 = "bm25"
BATCH_SIZE = 256
CHUNK = 16_384
"""Documents that are encoded before they go into the index."""


class Retriever(Protocol):
    """Anything that gives a run."""

    @property
    def name(self) -> str:
        """How people call it."""

    @property
    def key(self) -> str:
        """Its identity, with revision and prompts: equal keys give equal runs."""

    @property
    def notes(self) -> Sequence[str]:
        """After a search: what a reader of its scores should know."""

    def search(
        self,
        documents: Sequence[Document],
        queries: Sequence[Query],
        depth: int,
        progress: Progress | None = None,
    ) -> Run:
        """For each query the scores of its best `depth` documents."""


def retriever(
    name: str,
    *,
    query_prompt: str | None = None,
    doc_prompt: str | None = None,
    batch_size: int = BATCH_SIZE,
    embeddings: Path | None = None,
) -> Retriever:
    """The retriever of this name: "bm25", "minilm", a SentenceTransformer's name or folder.

    Args:
        name: Which one.
        query_prompt: Put before each query; None leaves it to the model's own configuration, as
            mteb does, "" is none at all.
        doc_prompt: Put before each document, likewise.
        batch_size: How many texts are encoded at once; it does not change scores.
        embeddings: A folder in which embeddings of documents are kept; None: nowhere.

    Raises:
        EvalsError: There is no such model, or bm25 was given a prompt.
    """
    if not name.strip():
        raise EvalsError("the name of a model is empty", hint="Name bm25, minilm, or a model.")
    if batch_size < 1:
        raise EvalsError(f"batch_size is {batch_size}, must be at least 1")
    if name == BM25:
        if query_prompt or doc_prompt:
            raise EvalsError("bm25 takes no prompts", hint="Prompts belong to encoders.")
        return BM25Retriever()
    encoding = encoder(name, Prompts(query_prompt, doc_prompt))
    return DenseRetriever(encoding, batch_size=batch_size, embeddings=embeddings)


@dataclass
class DenseRetriever:
    """Encodes everything and compares exactly, by the similarity that the model declares.

    Attributes:
        encoder: Gives the embeddings.
        batch_size: Texts that are encoded at once.
        embeddings: A folder in which embeddings of documents are kept; None: nowhere.
        seconds: After a search: how long loading, encoding and searching took.
    """

    encoder: Encoder
    batch_size: int = BATCH_SIZE
    embeddings: Path | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.encoder.name

    @property
    def key(self) -> str:
        """The model's name, revision and prompts, as JSON."""
        return self.encoder.key

    @property
    def notes(self) -> Sequence[str]:
        """What the encoder has to say, such as prompts of its own."""
        return self.encoder.notes

    def search(
        self,
        documents: Sequence[Document],
        queries: Sequence[Query],
        depth: int,
        progress: Progress | None = None,
    ) -> Run:
        """The `depth` nearest documents of each query; of equal scores the greater doc_id first.

        Raises:
            EvalsError: An embedding holds NaN or infinity.
        """
        self.seconds = {}
        if not documents or not queries:
            return {query.query_id: {} for query in queries}
        if progress:
            progress("loading the model", 0, None)
        similarity = self._timed_loading()
        # Descending doc_ids: among equal scores the first position is the first in trec_eval.
        ordered = sorted(documents, key=lambda document: document.doc_id, reverse=True)
        # As mteb: a query goes to the model as it is, a document's text is stripped.
        texts = [query.text for query in queries]
        ids = [query.query_id for query in queries]
        started = time.perf_counter()
        encoding = _Encoding(self.encoder.encode_queries, self.batch_size, "query", progress)
        vectors = encoding.run(texts, ids, len(texts))
        index = ExactIndex(similarity, vectors.shape[1])
        for embeddings in self.embed(ordered, len(ordered), progress):
            index.add(embeddings)
        self.seconds["encoding"] = time.perf_counter() - started
        started = time.perf_counter()
        run = _run(index, vectors, ordered, queries, depth)
        self.seconds["searching"] = time.perf_counter() - started
        return run

    def embed(
        self, documents: Iterable[Document], total: int, progress: Progress | None = None
    ) -> Iterator["Matrix"]:
        """The embeddings of documents, chunk by chunk: those that are kept are read.

        A search asks for them by descending doc_id, and keeps them so; in another order nothing is
        found. No more than a chunk of texts is in memory.

        Args:
            documents: Of any length.
            total: How many these are, for the progress.
            progress: Hears of what is encoded; may raise to stop.

        Raises:
            EvalsError: An embedding holds NaN or infinity.
        """
        encoding = _Encoding(self.encoder.encode_documents, self.batch_size, "document", progress)
        for chunk in _chunks(documents):
            texts = [document.encoder_text for document in chunk]
            yield self._documents(encoding, texts, [one.doc_id for one in chunk], total)

    def _documents(
        self, encoding: "_Encoding", texts: Sequence[str], ids: Sequence[str], total: int
    ) -> "Matrix":
        """The embeddings of a chunk, encoded now unless they are kept."""

        def encode() -> "Matrix":
            return encoding.run(texts, ids, total)

        if self.embeddings is None:
            return encode()
        return kept_embeddings(self.embeddings, self.key, texts, encode)

    def _timed_loading(self) -> Similarity:
        """The model's similarity; asking for it loads the model."""
        started = time.perf_counter()
        similarity = self.encoder.similarity
        self.seconds["loading"] = time.perf_counter() - started
        return similarity


@dataclass
class _Encoding:
    """Encodes texts batch by batch, the longest first, and says how far it is."""

    encode: "Callable[[Sequence[str]], Matrix]"
    batch_size: int
    kind: str
    progress: Progress | None
    done: int = 0

    def run(self, texts: Sequence[str], ids: Sequence[str], total: int) -> "Matrix":
        """The embeddings in the order of the texts."""
        import numpy as np

        # Texts of like length share a batch: less padding, the same embeddings.
        order = np.argsort([-len(text) for text in texts], kind="stable")
        parts = []
        for start in range(0, len(order), self.batch_size):
            batch = order[start : start + self.batch_size]
            vectors = self.encode([texts[place] for place in batch])
            self._refuse_infinite(vectors, [ids[place] for place in batch])
            parts.append(vectors)
            self.done += len(batch)
            if self.progress:
                self.progress(f"encoding {self.kind} texts", self.done, total)
        encoded = np.concatenate(parts)
        matrix = np.empty_like(encoded)
        matrix[order] = encoded
        return matrix

    def _refuse_infinite(self, vectors: "Matrix", ids: Sequence[str]) -> None:
        import numpy as np

        bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if len(bad):
            raise EvalsError(
                f"the model gives NaN or infinity for {len(bad)} of {len(ids)} texts, the first "
                f"is {self.kind} {ids[bad[0]]!r}",
                hint="Such a model cannot be measured; half precision on a CPU is a usual cause.",
            )


def _chunks(documents: Iterable[Document]) -> Iterator[list[Document]]:
    rest = iter(documents)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk


def _run(
    index: ExactIndex,
    vectors: "Matrix",
    documents: Sequence[Document],
    queries: Sequence[Query],
    depth: int,
) -> Run:
    doc_ids = [document.doc_id for document in documents]
    run = {}
    for query, (scores, places) in zip(queries, index.search(vectors, depth), strict=True):
        found = (doc_ids[place] for place in places.tolist())
        run[query.query_id] = dict(zip(found, scores.tolist(), strict=True))
    return run
