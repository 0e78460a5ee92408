"""Whose documents turn out relevant, by grades and decisions."""

from builder.store import Connection
from builder.store.adjudications import NewDecision, add_decision
from builder.store.excluding import exclude_person
from builder.store.judgments import record_judgment
from builder.store.moments import utc_text
from builder.store.people import Person, add_person
from builder.store.pool import add_pairs
from builder.store.pool_yield import Yield, yields
from builder.store.queries import insert_queries
from evals.records import Query
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


def test_what_others_named_too_tells_nothing_of_chance(connection: Connection, ann: Person) -> None:
    """bm25 named all four pairs here; those of q3 come from chance alone, or with skipped ones."""
    insert_queries(connection, [Query("q3", "plum")])
    add_pairs(connection, [("q1", "d1"), ("q3", "d1"), ("q3", "d2")], "random")
    add_pairs(connection, [("q3", "d2")], "skipped", [4])
    for n, pair in enumerate([("q1", "d1"), ("q3", "d1"), ("q3", "d2")]):
        record_judgment(connection, graded(ann, pair_of(connection, *pair), int(n != 1), str(n)))
    bm25 = Yield("bm25", None, 1, 1)
    assert yields(connection) == [bm25, Yield("random", None, 3, 2), Yield("skipped", 4, 1, 1)]
    alone = [bm25, Yield("random", None, 2, 1), Yield("skipped", 4, 1, 1)]
    assert yields(connection, {"random", "skipped"}) == alone
