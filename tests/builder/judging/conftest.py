"""A workspace whose pool is to be graded, and raters who grade it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from builder.judging.queue import Outcome, Pair, next_pair, submit_grade
from builder.people import ensure_person
from builder.store import Connection
from builder.store.documents import insert_documents
from builder.store.judgments import current_grades, raw_judgments
from builder.store.pool import add_pairs
from builder.store.queries import insert_queries
from builder.store.shown import query_key_of
from builder.workspace import Workspace, init_workspace
from evals.records import Document, Query
from tests.workspaces import copied

N_QUERIES, N_RANKS = 4, 5
ONCE = "made by the page"


def filled(folder: Path, n_queries: int = N_QUERIES, n_ranks: int = N_RANKS) -> Workspace:
    """A workspace in which each query's pool holds d0, d1 … in the order of their ranks."""
    return copied(_filled, folder, n_queries, n_ranks)


def _filled(folder: Path, n_queries: int, n_ranks: int) -> Workspace:
    workspace = init_workspace(folder, "shop")
    with workspace.store.write() as connection:
        insert_documents(connection, [Document(f"d{n}", f"t{n}", "x") for n in range(n_ranks)])
        insert_queries(
            connection,
            [Query(f"q{n}", f"query {n}", "a need", ("t",), "log") for n in range(n_queries)],
        )
        for query in range(n_queries):
            ranked = [(f"q{query}", f"d{rank}") for rank in range(n_ranks)]
            add_pairs(connection, ranked, "bm25", range(1, n_ranks + 1))
    for name in ("ann", "bob", "cy"):
        ensure_person(workspace, name)
    return workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with filled(tmp_path / "workspace") as opened:
        yield opened


def grade(workspace: Workspace, rater: str, pair: Pair, given: int = 1, **more: Any) -> Outcome:
    more.setdefault("token", uuid4().hex)
    return submit_grade(workspace, rater, pair.pair_id, given, **more)


def pair_for(workspace: Workspace, rater: str) -> Pair:
    pair = next_pair(workspace, rater)
    assert pair is not None
    return pair


def grade_all(workspace: Workspace, rater: str) -> list[Pair]:
    graded = []
    while pair := next_pair(workspace, rater):
        assert grade(workspace, rater, pair).status == "saved"
        graded.append(pair)
    return graded


def log_length(workspace: Workspace) -> int:
    with workspace.store.read() as connection:
        return len(list(raw_judgments(connection)))


def grades_of(workspace: Workspace, rater: str) -> list[int | None]:
    with workspace.store.read() as connection:
        return [row.grade for row in current_grades(connection) if row.rater == rater]


def key_of(connection: Connection, query_id: str) -> int:
    query_key = query_key_of(connection, query_id)
    assert query_key is not None
    return query_key
