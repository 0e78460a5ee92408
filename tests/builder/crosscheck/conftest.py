"""A workspace whose raters disagree, and runs of models that nobody had to encode."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from builder.evaluation.runs import Runs, Searched
from builder.evaluation.tasks import resolve_task
from builder.export import export_task
from builder.store.documents import insert_documents
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.people import add_person
from builder.store.queries import insert_queries
from builder.workspace import Workspace
from evals.records import Document, Query, Run
from tests.workspaces import new_workspace

DOC_IDS = tuple(f"d{n}" for n in range(1, 7))
QUERY_IDS = tuple(f"q{n:02}" for n in range(20))
"""Just as many as are needed."""

TASK = "custom/shop"


class Searcher:
    """A retriever that has searched already."""

    notes = ()

    def __init__(self, name: str, key: str) -> None:
        self.name, self.key = name, key

    def search(self, *_: object) -> Run:
        raise AssertionError("it has searched already: its run is kept")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Six documents, twenty queries, no grades; nobody stands in a folder with evals/ in it."""
    monkeypatch.chdir(tmp_path)
    with new_workspace(tmp_path / "workspace", "shop") as opened:
        with opened.store.write() as connection:
            insert_documents(connection, [Document(doc_id, "", doc_id) for doc_id in DOC_IDS])
            insert_queries(connection, [Query(query_id, "d1") for query_id in QUERY_IDS])
        yield opened


def grade(
    workspace: Workspace,
    rater: str,
    grades: Mapping[str, int],
    query_ids: Sequence[str] = QUERY_IDS,
    *,
    kind: str = "human",
    judged_at: str | None = None,
) -> None:
    """Let the rater give the documents these grades, on each of the queries."""
    with workspace.store.write() as connection:
        person = add_person(connection, rater, kind=kind).person_id
        rows = [
            ImportedJudgment(query_id, doc_id, person, "grade", given, judged_at=judged_at)
            for query_id in query_ids
            for doc_id, given in grades.items()
        ]
        import_judgments_batch(connection, rows)


def release(workspace: Workspace) -> None:
    export_task(workspace, "shop")


def keep(
    workspace: Workspace, model: str, ranking: Sequence[str], *, task: str = TASK, key: str = ""
) -> Path:
    """Keep a run of the model that gives this ranking for each query; later ones are newer."""
    resolved, _ = resolve_task(workspace, task)
    scores = {doc_id: float(-rank) for rank, doc_id in enumerate(ranking)}
    run = dict.fromkeys(resolved.qrels, scores)
    file = Runs(workspace.runs_folder).keep(
        run, Searcher(model, key or model), Searched(resolved), 1000
    )
    assert file is not None
    newest = max(path.stat().st_mtime_ns for path in workspace.runs_folder.rglob("*.trec"))
    os.utime(file, ns=(newest + 10**9, newest + 10**9))
    return file


@pytest.fixture
def disputed(workspace: Workspace) -> Workspace:
    """Ann and bob say 3 1, cy says 1 3, so the majority says 3 1; three models were evaluated.

    Model one ranks d1 d2, model two d2 d1, model none neither of them.
    """
    for rater, grades in (("ann", (3, 1)), ("bob", (3, 1)), ("cy", (1, 3))):
        grade(workspace, rater, dict(zip(("d1", "d2"), grades, strict=True)))
    release(workspace)
    for model, ranking in (("one", ("d1", "d2")), ("two", ("d2", "d1")), ("none", ("d5",))):
        keep(workspace, model, ranking)
    return workspace
