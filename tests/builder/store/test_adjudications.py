"""Decisions in the store: append-only, one stands, and they stand beside the grades."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from builder.store import Connection
from builder.store.adjudications import (
    NewDecision,
    add_decision,
    all_decisions,
    count_decisions,
    decided_pairs,
    end_decision,
    grades_and_decisions,
    latest_decision_by,
    newest_decisions,
    standing_decision,
)
from builder.store.judgments import current_grades, record_judgment
from builder.store.moments import now_text
from builder.store.people import Person
from tests.builder.store.conftest import graded, human_grades, pair_of


def decided(person: Person, pair_id: int, grade: int, token: str) -> NewDecision:
    return NewDecision(pair_id, person.person_id, grade, "because", now_text(), token)


def test_a_new_decision_ends_the_one_before_and_keeps_it(
    connection: Connection, ann: Person, bob: Person
) -> None:
    pair_id = pair_of(connection)
    add_decision(connection, decided(ann, pair_id, 1, "a"))
    second = add_decision(connection, decided(bob, pair_id, 3, "b"))
    stands = standing_decision(connection, pair_id)
    assert stands is not None
    assert (stands.adjudication_id, stands.adjudicator, stands.grade) == (second, "bob", 3)
    log = all_decisions(connection, standing=False)
    assert [(row.grade, row.stands) for row in log] == [(1, False), (3, True)]
    assert count_decisions(connection) == 1


def test_the_database_itself_lets_only_one_stand(connection: Connection, ann: Person) -> None:
    pair_id = pair_of(connection)
    add_decision(connection, decided(ann, pair_id, 1, "a"))
    add_decision(connection, decided(ann, pair_id, 2, "b"), stands=False)
    with pytest.raises(IntegrityError):
        connection.execute(text("UPDATE adjudications SET standing = 1"))


def test_taken_back_nothing_stands_and_a_second_time_says_so(
    connection: Connection, ann: Person
) -> None:
    pair_id = pair_of(connection)
    first = add_decision(connection, decided(ann, pair_id, 1, "a"))
    assert (end_decision(connection, first), end_decision(connection, first)) == (True, False)
    assert standing_decision(connection, pair_id) is None
    assert decided_pairs(connection) == set()
    assert newest_decisions(connection, limit=5) == []


def test_a_decision_is_no_grade_and_fills_no_quota(connection: Connection, ann: Person) -> None:
    pair_id = pair_of(connection)
    add_decision(connection, decided(ann, pair_id, 1, "a"))
    assert list(current_grades(connection)) == []
    assert human_grades(connection, pair_id) == 0


def test_decisions_stand_among_the_grades_of_their_pair(
    connection: Connection, ann: Person, bob: Person
) -> None:
    for doc_id, person in (("d1", ann), ("d1", bob), ("d2", ann)):
        token = f"{doc_id}{person.name}"
        pair_id = pair_of(connection, "q1", doc_id)
        record_judgment(connection, graded(person, pair_id, 0, token))
    add_decision(connection, decided(bob, pair_of(connection, "q1", "d1"), 2, "x"))
    add_decision(connection, decided(bob, pair_of(connection, "q2", "d2"), 3, "y"))
    found = [
        (row.query_id, row.doc_id, row.kind, row.grade) for row in grades_and_decisions(connection)
    ]
    assert found == [
        ("q1", "d1", "human", 0),
        ("q1", "d1", "human", 0),
        ("q1", "d1", "adjudicator", 2),
        ("q1", "d2", "human", 0),
        ("q2", "d2", "adjudicator", 3),
    ]


def test_undo_passes_over_what_a_file_brought(connection: Connection, ann: Person) -> None:
    add_decision(connection, decided(ann, pair_of(connection), 1, "a"))
    add_decision(connection, decided(ann, pair_of(connection, "q1", "d2"), 1, "import-1"))
    latest = latest_decision_by(connection, ann.person_id)
    assert latest is not None
    assert latest.doc_id == "d1"
