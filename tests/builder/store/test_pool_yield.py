"""Whose documents turn out relevant, by grades and decisions."""

from builder.store import Connection
from builder.store.adjudications import NewDecision, add_decision
from builder.store.excluding import exclude_person
from builder.store.judgments import record_judgment
from builder.store.moments import utc_text
from builder.store.people import Person, add_person
from builder.store.pool import add_pairs
from builder.store.pool_yield import Settled, Yield, settled_pairs, yields
from tests.builder.store.conftest import NOON, graded, pair_of


def test_half_of_the_grades_or_the_decision(
    connection: Connection, ann: Person, bob: Person
) -> None:
    add_pairs(connection, [("q1", "d1"), ("q1", "d3")], "minilm", [2, 7])
    said = {
        ("q1", "d1"): {ann: 0, bob: 1},  # half of them: relevant
        ("q1", "d2"): {ann: 2},  # a decision says no
        ("q1", "d3"): {add_person(connection, "eve"): 3},  # excluded
        ("q2", "d1"): {add_person(connection, "gpt", kind="llm"): 3},  # no person
        ("q2", "d2"): {ann: 0, bob: 0, add_person(connection, "old.tsv", kind="import"): 1},
    }
    for pair, grades in said.items():
        for rater, grade in grades.items():
            name = f"{pair} {rater.name}"
            record_judgment(connection, graded(rater, pair_of(connection, *pair), grade, name))
    decided = NewDecision(
        pair_of(connection, "q1", "d2"), ann.person_id, 0, "", utc_text(NOON), "t"
    )
    add_decision(connection, decided)
    exclude_person(connection, add_person(connection, "eve").person_id, "ann", "noise")

    assert yields(connection) == [Yield("bm25", None, 3, 1), Yield("minilm", 2, 1, 1)]
    assert settled_pairs(connection, ["q1"]) == {
        ("q1", "d1"): Settled(is_relevant=True, sources=frozenset({"bm25", "minilm"})),
        ("q1", "d2"): Settled(is_relevant=False, sources=frozenset({"bm25"})),
    }
    assert settled_pairs(connection, []) == {}
