"""The task folder (MTEB v2): reading any of its forms.

`write_task` in evals.taskwriter, re-exported here, writes it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.card import ContentHash
from evals.lines import id_text, json_rows
from evals.qrels import WEAK_SPLIT, find_qrels, judgment_line, read_qrels
from evals.records import Document, EvalsError, Qrels, Query, Sample, Validation
from evals.taskwriter import (
    VALIDATION_STRATUM,
    WrittenTask,
    document_line,
    query_line,
    write_task,
)
from evals.written import written_by_models

__all__ = ["Task", "WrittenTask", "read_task", "write_task", "written_content_hash"]

_NO_JUDGMENTS = (
    f"NO JUDGMENTS: the split {WEAK_SPLIT!r} holds labels that were made of clicks by thresholds; "
    "nobody judged them. These scores say how a model agrees with clicks, not how good it is."
)

ID_NAMES = {"document": ("_id", "id", "doc_id"), "query": ("_id", "id", "query_id")}


@dataclass(frozen=True, slots=True)
class Task:
    """One split of a task folder.

    Attributes:
        name: Name of the folder, or what the reader was told to call it.
        folder: Where it lies, absolute.
        split: The split that was read: test, train, dev or another name there.
        documents: The corpus.
        queries: All queries, also those without judgments.
        qrels: The judgments of the split for queries that are there. Judged documents outside
            the corpus stay, as in trec_eval: they count in the ideal ranking and in recall.
        warnings: What a reader of the scores should know.
        content_hash: SHA-256 of corpus, queries and this split's judgments; their order, further
            fields and the form of the files do not matter.
    """

    name: str
    folder: Path
    split: str
    documents: list[Document]
    queries: list[Query]
    qrels: Qrels
    warnings: list[str] = field(default_factory=list)
    content_hash: str = ""


def read_task(folder: Path | str, split: str | None = None, *, name: str | None = None) -> Task:
    """One split of the task folder: corpus, queries and judgments.

    Args:
        folder: The task folder.
        split: Which split; without one test, train, dev, or a qrels.tsv at the root.
        name: What to call the task; without it the folder's name.

    Raises:
        EvalsError: A file is absent or a row cannot be read; file and line are named. An asked
            split that is not there names those that are.
    """
    folder = Path(folder).resolve()
    if not folder.is_dir():
        raise EvalsError(
            "no such task folder",
            where=str(folder),
            hint="A task folder holds corpus.jsonl, queries.jsonl and qrels/<split>.tsv.",
        )
    split, qrels_path, warnings = _choose_split(folder, split)
    documents = _read_documents(folder, warnings)
    queries = _read_queries(folder, warnings)
    judged = read_qrels(qrels_path)
    warnings += judged.warnings(qrels_path)
    content_hash = _content_hash(documents, queries, judged.qrels)
    qrels = _joined(judged.qrels, documents, queries, warnings)
    if not qrels:
        raise EvalsError(
            "no judged query of this split is in queries.jsonl",
            where=str(qrels_path),
            hint="Do the ids of both files belong together?",
        )
    warnings += written_by_models(query for query in queries if query.query_id in qrels)
    return Task(
        name=name or folder.name,
        folder=folder,
        split=split,
        documents=documents,
        queries=queries,
        qrels=qrels,
        warnings=warnings,
        content_hash=content_hash,
    )


def _choose_split(folder: Path, split: str | None) -> tuple[str, Path, list[str]]:
    """The split, its qrels file, and what is to be said about the choice."""
    found = find_qrels(folder)
    if not found or (split is None and list(found) == [WEAK_SPLIT]):
        raise EvalsError(
            "no qrels file",
            where=str(folder),
            hint="Put judgments into qrels/test.tsv: query-id, corpus-id, score.",
        )
    if split is not None and split not in found:
        raise EvalsError(
            f"no split {split!r}; there {'is' if len(found) == 1 else 'are'} {', '.join(found)}",
            where=str(folder / "qrels"),
        )
    chosen = split or next(name for name in found if name != WEAK_SPLIT)
    warnings = [_NO_JUDGMENTS] if chosen == WEAK_SPLIT else []
    if split is None and chosen != "test":
        there = ", ".join(found)
        warnings.append(f"NO TEST SPLIT: the split {chosen!r} was read instead (there: {there})")
    if found[chosen].parent == folder:
        warnings.append(f"{found[chosen].name} at the root of the folder was read as split test")
    return chosen, found[chosen], warnings


def _file(folder: Path, name: str) -> Path | None:
    """The file or its gzip form, whichever is there."""
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


def _needed(folder: Path, name: str) -> Path:
    path = _file(folder, name)
    if path is None:
        raise EvalsError(f"no {name}", where=str(folder), hint=f"A task folder holds {name}.")
    return path


def _read_documents(folder: Path, warnings: list[str]) -> list[Document]:
    path = _needed(folder, "corpus.jsonl")
    side = _read_side(folder, "corpus_metadata.jsonl")
    records = _Records(path)
    for number, row in json_rows(path):
        where = f"{path}:{number}"
        doc_id = _take_id(row, "document", where)
        title, text = _take_text(row, "title", where), _take_text(row, "text", where)
        metadata = {**_metadata(row), **side.pop(doc_id, {})}
        records.add(doc_id, Document(doc_id, title, text, metadata), number)
    warnings += records.warnings()
    _warn_of_unknown(side, "corpus_metadata.jsonl", warnings)
    return list(records.by_id.values())


def _read_queries(folder: Path, warnings: list[str]) -> list[Query]:
    path = _needed(folder, "queries.jsonl")
    side = _read_side(folder, "queries_metadata.jsonl")
    records = _Records(path)
    for number, row in json_rows(path):
        where = f"{path}:{number}"
        query_id = _take_id(row, "query", where)
        text = _take_text(row, "text", where)
        further = {**row, **side.pop(query_id, {})}
        records.add(query_id, _query(query_id, text, further, where), number)
    warnings += records.warnings()
    _warn_of_unknown(side, "queries_metadata.jsonl", warnings)
    return list(records.by_id.values())


def _query(query_id: str, text: str, further: Mapping[str, Any], where: str) -> Query:
    tags = further.get("tags") or ()
    if not isinstance(tags, list | tuple) or not all(isinstance(tag, str) for tag in tags):
        raise EvalsError(f"tags is {json.dumps(tags)}; a list of texts is needed", where=where)
    need, source = further.get("need") or "", further.get("source") or "import"
    if not isinstance(need, str) or not isinstance(source, str):
        raise EvalsError("need and source are texts", where=where)
    validated = further.get("validated")
    if validated is not None and not isinstance(validated, bool):
        raise EvalsError(
            f"validated is {json.dumps(validated)}; true or false is needed", where=where
        )
    return Query(
        query_id,
        text,
        need=need,
        tags=tuple(tags),
        source=source,
        sample=_sample(further, where),
        validated=validated,
        validation=_validation(further, where),
    )


def _sample(further: Mapping[str, Any], where: str) -> Sample | None:
    """How the query was drawn; None of a folder that does not tell chances."""
    chance = _chance(further, "inclusion_probability", where)
    if chance is None:
        return None
    if not chance:
        raise _no_chance("inclusion_probability", chance, "above 0 and at most 1", where)
    searches = further.get("searches")
    known = searches if isinstance(searches, int) and searches > 0 else 0
    return Sample(str(further.get("stratum") or ""), chance, known)


def _validation(further: Mapping[str, Any], where: str) -> Validation | None:
    """The query's part in a drawing for validation; None of a folder that does not tell it."""
    chance = _chance(further, "validation_probability", where)
    if chance is None:
        return None
    stratum = further.get(VALIDATION_STRATUM) or further.get("stratum")
    return Validation(str(stratum or ""), chance)


def _chance(further: Mapping[str, Any], name: str, where: str) -> float | None:
    """A number from 0 to 1, None where it is not told."""
    chance = further.get(name)
    if chance is None:
        return None
    if isinstance(chance, bool) or not isinstance(chance, int | float) or not 0 <= chance <= 1:
        raise _no_chance(name, chance, "from 0 to 1", where)
    return float(chance)


def _no_chance(name: str, given: object, needed: str, where: str) -> EvalsError:
    return EvalsError(f"{name} is {json.dumps(given)}; a number {needed} is needed", where=where)


def _read_side(folder: Path, name: str) -> dict[str, dict[str, Any]]:
    """Id -> further fields, from a side file that need not be there."""
    path = _file(folder, name)
    if path is None:
        return {}
    fields = {}
    for number, row in json_rows(path):
        doc_id = id_text(row.pop("_id", None), "_id", f"{path}:{number}")
        fields[doc_id] = row
    return fields


def _take_id(row: dict[str, Any], kind: str, where: str) -> str:
    names = ID_NAMES[kind]
    name = next((name for name in names if name in row), names[0])
    return id_text(row.pop(name, None), name, where)


def _take_text(row: dict[str, Any], name: str, where: str) -> str:
    """A text field; a title may be absent or null, a text may not."""
    value = row.pop(name, None)
    if value is None and name == "title":
        return ""
    if not isinstance(value, str):
        shown = "missing or null" if value is None else f"a {type(value).__name__}"
        raise EvalsError(f"{name} is {shown}", where=where, hint='Write "" where there is no text.')
    return value


def _metadata(row: dict[str, Any]) -> dict[str, Any]:
    """Further fields; those that BEIR files nest under "metadata" are lifted out."""
    nested = row.get("metadata")
    if not isinstance(nested, dict):
        return row
    return {**nested, **{name: value for name, value in row.items() if name != "metadata"}}


@dataclass(slots=True)
class _Records:
    """Records of one file by id; the same record twice counts once, two of one id are refused."""

    path: Path
    by_id: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    identical: int = 0

    def add(self, key: str, record: Document | Query, number: int) -> None:
        earlier = self.by_id.setdefault(key, record)
        first = self.lines.setdefault(key, number)
        if first == number:
            return
        if earlier != record:
            raise EvalsError(
                f"id {key!r} stands there twice with different content, first in line {first}",
                where=f"{self.path}:{number}",
                hint="Give one of the two another id, or remove it.",
            )
        self.identical += 1

    def warnings(self) -> list[str]:
        if not self.by_id:
            raise EvalsError("the file holds no record", where=str(self.path))
        if not self.identical:
            return []
        return [f"{self.path.name}: {self.identical} identical rows count once"]


def _warn_of_unknown(side: Mapping[str, object], name: str, warnings: list[str]) -> None:
    if side:
        warnings.append(f"{name}: {len(side)} rows belong to no id of the folder")


def _joined(
    judged: Qrels, documents: list[Document], queries: list[Query], warnings: list[str]
) -> Qrels:
    """The judgments of queries that are there; says what does not join.

    A judged query without text cannot be searched; as in mteb it is left out, not scored 0.
    A judged document outside the corpus cannot be found; as in trec_eval it counts as missed.
    """
    texts = {query.query_id for query in queries}
    corpus = {document.doc_id for document in documents}
    qrels = {query_id: grades for query_id, grades in judged.items() if query_id in texts}
    lost = [query_id for query_id in judged if query_id not in texts]
    if lost:
        warnings.append(
            f"{len(lost)} judged queries are not in queries.jsonl and are left out ({_some(lost)})"
        )
    absent = sorted({doc for grades in qrels.values() for doc in grades if doc not in corpus})
    if absent:
        warnings.append(
            f"{len(absent)} judged documents are not in the corpus; no search can find them, "
            f"they count as missed ({_some(absent)})"
        )
    return qrels


def _some(ids: list[str]) -> str:
    return ", ".join(ids[:3]) + (", …" if len(ids) > 3 else "")


def _content_hash(documents: list[Document], queries: list[Query], qrels: Qrels) -> str:
    content = ContentHash()
    for document in documents:
        content.add("corpus", document_line(document))
    for query in queries:
        content.add("queries", query_line(query))
    for query_id, grades in qrels.items():
        for doc_id, grade in grades.items():
            content.add("qrels", judgment_line(query_id, doc_id, grade).encode())
    return content.hexdigest()


def written_content_hash(folder: Path, split: str) -> str:
    """`Task.content_hash` of a folder that `write_task` wrote; nothing is kept in memory.

    Raises:
        OSError: A file is not there.
    """
    content = ContentHash()
    for kind, name in (
        ("corpus", "corpus.jsonl"),
        ("queries", "queries.jsonl"),
        ("qrels", f"qrels/{split}.jsonl"),
    ):
        with (folder / name).open("rb") as rows:
            for row in rows:
                content.add(kind, row.removesuffix(b"\n"))
    return content.hexdigest()
