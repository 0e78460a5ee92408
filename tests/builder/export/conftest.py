"""A workspace with graded queries, and looks into what was exported from it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from builder.export.folders import PROVENANCE
from builder.people import ensure_person
from builder.store import Connection
from builder.store.documents import insert_documents
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.people import add_person
from builder.store.queries import insert_queries
from builder.workspace import Workspace, init_workspace
from evals.records import Document, Query
from tests.workspaces import copied


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with copied(_filled, tmp_path / "workspace") as opened:
        yield opened


def _filled(folder: Path) -> Workspace:
    workspace = init_workspace(folder, "shop")
    fill(workspace)
    return workspace


def fill(workspace: Workspace) -> None:
    """Four queries: q-mixed and q-two graded, q-zero all 0, q-none ungraded."""
    ensure_person(workspace, "Boss")
    with workspace.store.write() as connection:
        insert_documents(
            connection,
            [
                Document("d2", "Title", "second", {"shelf": 3}),
                Document("007", "", "licence"),
                Document("é\N{GRINNING FACE}", "T", "text\twith\nbreaks"),
            ],
        )
        insert_queries(
            connection,
            [
                Query("q-two", "two", "", ("x",), "log"),
                Query("q-mixed", "mixed", "the need", ("x", "y")),
                Query("q-zero", "zero"),
                Query("q-none", "none"),
            ],
        )
        grade(connection, "Ann Müller", {"d2": 3, "007": 0})
        grade(connection, "Bob", {"d2": 3, "007": 1})
        grade(connection, "Ann Müller", {"d2": 1}, query="q-two")
        grade(connection, "Ann Müller", {"d2": 0}, query="q-zero")
        grade(connection, "gpt", {"007": 3}, query="q-zero", kind="llm")


def grade(
    connection: Connection,
    rater: str,
    grades: dict[str, int],
    *,
    query: str = "q-mixed",
    kind: str = "human",
) -> None:
    person = add_person(connection, rater, kind=kind)
    rows = [
        ImportedJudgment(query, doc_id, person.person_id, "grade", given)
        for doc_id, given in grades.items()
    ]
    import_judgments_batch(connection, rows)


def regrade(workspace: Workspace, given: int) -> None:
    with workspace.store.write() as connection:
        grade(connection, "Ann Müller", {"d2": given}, query="q-two")


def files_of(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def release(workspace: Workspace, number: int, name: str = "shop") -> Path:
    return workspace.evals_folder / ".releases" / name / str(number)


def told(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / PROVENANCE).read_text("utf-8"))
    return document


def leftovers(workspace: Workspace) -> list[str]:
    names = (path.name for path in workspace.evals_folder.iterdir())
    return [name for name in names if name not in ("shop", ".releases", ".lock")]
