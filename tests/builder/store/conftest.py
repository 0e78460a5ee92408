"""A store with a small pool and three raters, and judgments to put into it."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import select, text

from builder.store import Connection, Store, open_store
from builder.store.documents import insert_documents
from builder.store.judgments import ImportedJudgment, NewJudgment, current_grades
from builder.store.moments import utc_text
from builder.store.people import Person, add_person
from builder.store.pool import add_pairs
from builder.store.queries import insert_queries
from builder.store.schema import pairs
from evals.records import Document, Query

NOON = datetime(2025, 6, 2, 12, tzinfo=UTC)


class RollBack(Exception):  # noqa: N818
    """Leaves a transaction without a trace."""


@pytest.fixture(scope="module")
def pooled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Two queries, three documents, four pairs (q2 with d3 is outside the pool), three raters."""
    opened = open_store(tmp_path_factory.mktemp("judgments") / "workbench.db")
    with opened.write() as connection:
        insert_documents(connection, [Document(f"d{n}", "", "text") for n in (1, 2, 3)])
        insert_queries(connection, [Query("q2", "two"), Query("q1", "one")])
        add_pairs(connection, [("q1", "d2"), ("q1", "d1"), ("q2", "d1"), ("q2", "d2")], "bm25")
        for name in ("ann", "bob"):
            add_person(connection, name)
        add_person(connection, "old.tsv", kind="import")
    yield opened
    opened.close()


@pytest.fixture
def connection(pooled: Store) -> Iterator[Connection]:
    """A writing transaction that is rolled back."""
    with suppress(RollBack), pooled.write() as opened:
        yield opened
        raise RollBack


@pytest.fixture
def ann(connection: Connection) -> Person:
    return add_person(connection, "ann")


@pytest.fixture
def bob(connection: Connection) -> Person:
    return add_person(connection, "bob")


def pair_of(connection: Connection, query_id: str = "q1", doc_id: str = "d1") -> int:
    found = connection.execute(
        text(
            "SELECT pair_id FROM pairs JOIN queries USING (query_key) JOIN documents USING"
            " (doc_key) WHERE query_id = :q AND doc_id = :d"
        ),
        {"q": query_id, "d": doc_id},
    )
    pair_id: int = found.scalar_one()
    return pair_id


def graded(rater: Person, pair_id: int, grade: int, token: str) -> NewJudgment:
    return NewJudgment(pair_id, rater.person_id, "grade", token, grade=grade)


def human_grades(connection: Connection, pair_id: int) -> int:
    chosen = select(pairs.c.human_grades).where(pairs.c.pair_id == pair_id)
    counted: int = connection.execute(chosen).scalar_one()
    return counted


def imported(
    rater: Person, grade: int | None, judged_at: datetime | None = None, **changes: Any
) -> ImportedJudgment:
    row = ImportedJudgment(
        "q1",
        "d1",
        rater.person_id,
        "skip" if grade is None else "grade",
        grade,
        judged_at=None if judged_at is None else utc_text(judged_at),
    )
    return row._replace(**changes)


def grades_now(connection: Connection) -> list[tuple[str, str, str, int | None]]:
    return [(row.query_id, row.doc_id, row.rater, row.grade) for row in current_grades(connection)]
