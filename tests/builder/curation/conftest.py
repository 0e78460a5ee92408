"""A workspace whose queries are curated by ana, and graded by ann, bob and cy."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from builder.judging.queue import cannot_judge, flag_query
from builder.people import Person, ensure_person
from builder.store import Connection
from builder.store.grades import GradeRow, current_grades
from builder.store.judgments import NewJudgment, record_judgment
from builder.store.people import find_person
from builder.store.query_edits import documents_of
from builder.store.shown import query_key_of
from builder.workspace import Workspace
from tests.builder.judging.conftest import filled


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Queries q0 to q3, each with the documents d0 to d4; ann is the admin."""
    with filled(tmp_path / "workspace") as opened:
        yield opened


@pytest.fixture
def ana(workspace: Workspace) -> Person:
    """Who curates: the admin."""
    return ensure_person(workspace, "ann")


@pytest.fixture
def bob(workspace: Workspace) -> Person:
    """A rater."""
    return ensure_person(workspace, "bob")


def pair_id_of(workspace: Workspace, query_id: str, doc_id: str) -> int:
    with workspace.store.read() as connection:
        return documents_of(connection, key_of(connection, query_id))[doc_id]


def key_of(connection: Connection, query_id: str) -> int:
    query_key = query_key_of(connection, query_id)
    assert query_key is not None
    return query_key


def say(workspace: Workspace, rater: str, query_id: str, doc_id: str, **said: Any) -> None:
    """Write a row of the log: a grade unless `outcome` says something else."""
    said.setdefault("outcome", "grade")
    now = said.pop("now", None)
    with workspace.store.write() as connection:
        person = find_person(connection, rater)
        assert person is not None
        pair_id = documents_of(connection, key_of(connection, query_id))[doc_id]
        judgment = NewJudgment(pair_id, person.person_id, token=uuid4().hex, **said)
        record_judgment(connection, judgment, now)


def doubt(workspace: Workspace, rater: str, query_id: str, reason: str = "which file?") -> None:
    """Let the rater call the query unclear."""
    flag_query(workspace, rater, query_id, "unclear", reason, token=uuid4().hex)


def give_up(workspace: Workspace, query_id: str, doc_id: str, *raters: str) -> int:
    """Let raters say that they cannot judge the pair; its pair_id."""
    pair_id = pair_id_of(workspace, query_id, doc_id)
    for rater in raters:
        cannot_judge(workspace, rater, pair_id, f"{rater} knows no Chemie", token=uuid4().hex)
    return pair_id


def grades_now(workspace: Workspace) -> list[GradeRow]:
    with workspace.store.read() as connection:
        return [row for row in current_grades(connection) if row.outcome == "grade"]
