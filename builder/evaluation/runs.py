"""Runs that are kept: a changed grade or another measure is scored again without encoding anew."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evals.card import ContentHash
from evals.records import Document, Progress, Query, Run
from evals.retrievers import Retriever, read_run, write_run
from evals.taskfolder import Task
from evals.taskwriter import document_line, query_line

_SHORT = 12
_UNFIT = re.compile(r"[\t\n\r]")


@dataclass(frozen=True)
class Searched:
    """What a run answers: the corpus and the judged queries of a task, whatever their grades."""

    task: Task

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the corpus and the judged queries."""
        content = ContentHash()
        for document in self.task.documents:
            content.add("corpus", document_line(document))
        for query in self.task.queries:
            if query.query_id in self.task.qrels:
                content.add("queries", query_line(query))
        return content.hexdigest()


@dataclass
class KeptRun:
    """A retriever whose search was done before; name and key are those of who did it.

    Attributes:
        name: How people call the model.
        key: Its identity.
        notes: What it had to say.
        file: The run.
    """

    name: str
    key: str
    notes: Sequence[str]
    file: Path

    def search(
        self,
        documents: Sequence[Document],
        queries: Sequence[Query],
        depth: int,
        progress: Progress | None = None,
    ) -> Run:
        """The run as it was found; a query without a row found nothing."""
        del documents, depth, progress
        found, _ = read_run(self.file)
        return {query.query_id: found.get(query.query_id, {}) for query in queries}


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs in a folder: each a .trec file, and beside it a .json with what TREC cannot say.

    Attributes:
        folder: Where they lie; made when the first is kept.
    """

    folder: Path

    def file_of(self, retriever: Retriever, searched: Searched, depth: int) -> Path:
        """Where the retriever's run on this content lies, or would."""
        key = hashlib.sha256(retriever.key.encode("utf-8", "surrogatepass")).hexdigest()
        content = searched.content_hash
        name = f"{file_name(retriever.name)}-{key[:_SHORT]}.{content[:_SHORT]}.d{depth}.trec"
        return self.folder / file_name(searched.task.name) / name

    def find(self, retriever: Retriever, searched: Searched, depth: int) -> KeptRun | None:
        """The retriever's run on this content, if it is there."""
        file = self.file_of(retriever, searched, depth)
        about = file.with_suffix(".json")
        if not (file.is_file() and about.is_file()):
            return None
        told = json.loads(about.read_text("utf-8"))
        if told != {**_about(retriever, searched, depth), "notes": told.get("notes")}:
            return None
        return KeptRun(retriever.name, retriever.key, told["notes"], file)

    def keep(self, run: Run, retriever: Retriever, searched: Searched, depth: int) -> Path | None:
        """Keep the run; None if TREC's form cannot hold its ids (TABs or line ends in them)."""
        ids = (doc_id for found in run.values() for doc_id in found)
        if any(map(_UNFIT.search, (*run, *ids))):
            return None
        file = self.file_of(retriever, searched, depth)
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(".part")
        write_run(unfinished, run, retriever.name)
        unfinished.replace(file)
        about = {**_about(retriever, searched, depth), "notes": list(retriever.notes)}
        text = json.dumps(about, ensure_ascii=False, indent=1)
        unfinished.write_text(text, encoding="utf-8", newline="\n")
        unfinished.replace(file.with_suffix(".json"))
        return file


def file_name(name: str) -> str:
    """The name as one part of a path, readable where it can be; two names give two parts."""
    plain = re.sub(r"[^A-Za-z0-9._@-]+", "-", name).strip("-.")[-60:] or "unnamed"
    if plain == name:
        return plain
    return f"{plain}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _about(retriever: Retriever, searched: Searched, depth: int) -> dict[str, Any]:
    return {
        "model": retriever.name,
        "model_key": retriever.key,
        "searched": searched.content_hash,
        "depth": depth,
    }
