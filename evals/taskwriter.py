"""Writes a task folder that beir, datasets, mteb, trec_eval, ir_measures and ranx all read."""

import json
import re
from array import array
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from evals.card import ContentHash, dataset_card
from evals.qrels import judgment_line, write_qrels
from evals.records import Document, EvalsError, Qrels, Query

SPLIT_NAME = re.compile(r"\w+", re.ASCII)
VALIDATION_STRATUM = "validation_stratum"


@dataclass(frozen=True, slots=True)
class WrittenTask:
    """What was written.

    Attributes:
        documents: Rows of corpus.jsonl.
        queries: Rows of queries.jsonl.
        judgments: Split -> judgments.
        content_sha: SHA-256 of all rows of all files, whatever their order; the card shows the
            first 16 digits.
        warnings: Forms that could not be written, and why.
    """

    documents: int
    queries: int
    judgments: dict[str, int]
    content_sha: str
    warnings: list[str]


def write_task(
    folder: Path,
    *,
    documents: Iterable[Document],
    queries: Iterable[Query],
    qrels: Mapping[str, Qrels],
    card: str = "",
    header: bool = True,
) -> WrittenTask:
    """Writes corpus, queries, qrels in three forms, metadata and the card into an empty folder.

    Documents and queries are streamed: beside 8 bytes for each id nothing is kept in memory.

    Args:
        folder: An existing empty folder.
        documents: The corpus, each id once.
        queries: The queries, each id once.
        qrels: Split -> judgments.
        card: Body of README.md, in Markdown.
        header: Whether the .tsv files begin with a header line; beir skips the first line always.

    Raises:
        EvalsError: The folder is not there or not empty, an id comes twice, is empty or holds
            U+0000, a text cannot be written as UTF-8, or metadata is no JSON.
    """
    _check_target(folder, qrels)
    writer = _Writer(folder)
    with writer.files:
        written_documents = writer.write_documents(documents)
        written_queries = writer.write_queries(queries)
    (folder / "qrels").mkdir()
    warnings = []
    for split, judgments in qrels.items():
        writer.hash_qrels(split, judgments)
        warnings += write_qrels(folder / "qrels", split, judgments, header=header)
    content_sha = writer.content.hexdigest()
    body = card or f"# {folder.name}"
    text = dataset_card(content_sha, list(qrels), body)
    (folder / "README.md").write_bytes(_utf8(text, "the card"))
    return WrittenTask(
        documents=written_documents,
        queries=written_queries,
        judgments={split: sum(map(len, grades.values())) for split, grades in qrels.items()},
        content_sha=content_sha,
        warnings=warnings,
    )


def document_line(document: Document) -> bytes:
    """The row of corpus.jsonl, without its line end; also what the content hash is made of."""
    row = {"_id": document.doc_id, "title": document.title, "text": document.text}
    return _utf8(_json(row, "document", document.doc_id), f"document {document.doc_id!r}")


def query_line(query: Query) -> bytes:
    """The row of queries.jsonl: id and text, nothing else (mteb crashes on lists and nulls)."""
    row = {"_id": query.query_id, "text": query.text}
    return _utf8(_json(row, "query", query.query_id), f"query {query.query_id!r}")


def query_fields(query: Query) -> dict[str, Any]:
    """What queries_metadata.jsonl says of a query: of one that was drawn its weight, too."""
    fields: dict[str, Any] = {"need": query.need, "tags": list(query.tags), "source": query.source}
    if query.sample is not None:
        fields |= asdict(query.sample) | {"weight": query.sample.weight}
    if query.validated is not None:
        fields["validated"] = query.validated
    if query.validation is not None:
        # `stratum` is the log's where a log was drawn from, too.
        name = "stratum" if query.sample is None else VALIDATION_STRATUM
        fields[name] = query.validation.stratum
        fields["validation_probability"] = query.validation.probability
    return fields


@dataclass(slots=True)
class _Writer:
    """The open files of a folder that is being written, and the hash of what went in."""

    folder: Path
    files: ExitStack = field(default_factory=ExitStack)
    content: ContentHash = field(default_factory=ContentHash)
    open_files: dict[str, IO[bytes]] = field(default_factory=dict)

    def write_documents(self, documents: Iterable[Document]) -> int:
        ids = _Ids("document")
        self._file("corpus.jsonl")
        for document in documents:
            ids.add(document.doc_id)
            self._row("corpus.jsonl", document_line(document))
            if document.metadata:
                fields = _side_fields(document.metadata, "document", document.doc_id)
                self._side_row("corpus_metadata.jsonl", document.doc_id, fields)
        return ids.count()

    def write_queries(self, queries: Iterable[Query]) -> int:
        ids = _Ids("query")
        self._file("queries.jsonl")
        for query in queries:
            ids.add(query.query_id)
            self._row("queries.jsonl", query_line(query))
            if _has_fields(query):
                fields = query_fields(query)
                self._side_row("queries_metadata.jsonl", query.query_id, fields)
        return ids.count()

    def hash_qrels(self, split: str, qrels: Qrels) -> None:
        for query_id, grades in qrels.items():
            _check_id(query_id, "judged query")
            for doc_id, grade in grades.items():
                _check_id(doc_id, "judged document")
                _check_grade(grade, query_id, doc_id)
                line = judgment_line(query_id, doc_id, grade)
                self.content.add(f"qrels {split}", _utf8(line, f"judgment of {query_id!r}"))

    def _side_row(self, name: str, key: str, fields: Mapping[str, Any]) -> None:
        line = _json({"_id": key, **fields}, name, key)
        self._row(name, _utf8(line, f"{name}, {key!r}"))

    def _row(self, name: str, line: bytes) -> None:
        self.content.add(name, line)
        self._file(name).write(line + b"\n")

    def _file(self, name: str) -> IO[bytes]:
        """The open file; metadata files come into being with their first row."""
        if name not in self.open_files:
            self.open_files[name] = self.files.enter_context((self.folder / name).open("xb"))
        return self.open_files[name]


@dataclass(slots=True)
class _Ids:
    """Finds an id that comes twice, by 64-bit hashes: 8 bytes an id."""

    kind: str
    hashes: "array[int]" = field(default_factory=lambda: array("q"))

    def add(self, key: str) -> None:
        _check_id(key, self.kind)
        self.hashes.append(hash(key))

    def count(self) -> int:
        """How many there were.

        Raises:
            EvalsError: One came twice.
        """
        import numpy as np

        hashes = np.frombuffer(self.hashes, dtype=np.int64)
        order = np.argsort(hashes, kind="stable")
        same = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
        if len(same):
            first, second = order[same[0]] + 1, order[same[0] + 1] + 1
            raise EvalsError(
                f"one {self.kind} id comes twice: as number {first} and number {second}",
                hint="Readers keep one of the two at random; give each its own id.",
            )
        return len(hashes)


def _has_fields(query: Query) -> bool:
    """Whether there is anything to say of the query beside its text."""
    told = (query.need, query.tags, query.source != "import", query.sample, query.validation)
    return any(told) or query.validated is not None


def _check_target(folder: Path, qrels: Mapping[str, Qrels]) -> None:
    if not folder.is_dir() or any(folder.iterdir()):
        raise EvalsError("an existing empty folder is needed", where=str(folder))
    for split in qrels:
        if not SPLIT_NAME.fullmatch(split):
            raise EvalsError(f"split name {split!r} must be letters, digits and _")


def _check_id(key: str, kind: str) -> None:
    # trec_eval keeps ids as C strings, which end at U+0000: two ids would become one.
    if not isinstance(key, str) or not key or "\0" in key:
        raise EvalsError(f"{kind} id {key!r} must be a text, not empty, without U+0000")


def _check_grade(grade: int, query_id: str, doc_id: str) -> None:
    if not isinstance(grade, int) or isinstance(grade, bool):
        raise EvalsError(f"grade {grade!r} of {query_id!r} {doc_id!r} is no whole number")


def _side_fields(metadata: Mapping[str, Any], kind: str, key: str) -> Mapping[str, Any]:
    if "_id" in metadata:
        raise EvalsError(f"{kind} {key!r} has a metadata field _id; that name is the id's")
    return metadata


def _json(row: Mapping[str, Any], kind: str, key: str) -> str:
    try:
        return json.dumps(row, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise EvalsError(f"{kind} {key!r} cannot be written as JSON: {error}") from error


def _utf8(text: str, what: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        found = f"U+{ord(text[error.start]):04X}"
        raise EvalsError(
            f"{what} holds the lone surrogate {found}, which UTF-8 cannot hold",
            hint="Repair the text where it comes from; imports have --repair.",
        ) from error
