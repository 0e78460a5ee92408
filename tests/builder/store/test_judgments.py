"""The log of judgments: what stands after grades, edits, skips and undone grades."""

from contextlib import suppress
from datetime import timedelta

import pytest
from sqlalchemy.exc import IntegrityError

from builder.store import Connection, Store
from builder.store.judgments import (
    GradeRow,
    NewJudgment,
    count_judgments,
    current_grades,
    import_judgments_batch,
    raw_judgments,
    record_judgment,
    undo_latest,
)
from builder.store.moments import utc_text
from builder.store.people import Person, add_person
from tests.builder.store.conftest import (
    NOON,
    RollBack,
    graded,
    grades_now,
    human_grades,
    imported,
    pair_of,
)


def test_a_grade_stands_and_is_counted(connection: Connection, ann: Person) -> None:
    pair_id = pair_of(connection)
    recorded = record_judgment(connection, graded(ann, pair_id, 3, "t1"), NOON)
    assert (recorded.grade, recorded.repeated) == (3, False)
    assert human_grades(connection, pair_id) == 1
    assert list(current_grades(connection)) == [
        GradeRow("q1", "d1", "ann", "human", "grade", 3, "", utc_text(NOON))
    ]


def test_the_same_token_changes_nothing_and_gives_the_first_outcome(
    connection: Connection, ann: Person
) -> None:
    pair_id = pair_of(connection)
    first = record_judgment(connection, graded(ann, pair_id, 3, "t1"))
    again = record_judgment(connection, graded(ann, pair_id, 0, "t1"))
    assert again.repeated
    assert (again.judgment_id, again.grade) == (first.judgment_id, 3)
    assert len(list(raw_judgments(connection))) == 1


def test_a_token_of_another_pair_is_a_mistake(connection: Connection, ann: Person) -> None:
    record_judgment(connection, graded(ann, pair_of(connection), 3, "t1"))
    other = graded(ann, pair_of(connection, "q2"), 3, "t1")
    with pytest.raises(ValueError, match="another pair"):
        record_judgment(connection, other)


def test_an_edit_is_a_new_row(connection: Connection, ann: Person) -> None:
    pair_id = pair_of(connection)
    record_judgment(connection, graded(ann, pair_id, 3, "t1"))
    record_judgment(connection, graded(ann, pair_id, 1, "t2"))
    assert [row.grade for row in raw_judgments(connection)] == [3, 1]
    assert grades_now(connection) == [("q1", "d1", "ann", 1)]
    assert human_grades(connection, pair_id) == 1


def test_a_clock_that_went_back_does_not_bring_an_old_grade_back(
    connection: Connection, ann: Person
) -> None:
    pair_id = pair_of(connection)
    record_judgment(connection, graded(ann, pair_id, 3, "t1"), NOON)
    record_judgment(connection, graded(ann, pair_id, 1, "t2"), NOON - timedelta(hours=1))
    assert grades_now(connection) == [("q1", "d1", "ann", 1)]


def test_skips_are_current_and_no_grades(connection: Connection, ann: Person) -> None:
    pair_id = pair_of(connection)
    record_judgment(connection, graded(ann, pair_id, 2, "t1"))
    record_judgment(connection, NewJudgment(pair_id, ann.person_id, "skip", "t2"))
    assert [(row.outcome, row.grade) for row in current_grades(connection)] == [("skip", None)]
    assert human_grades(connection, pair_id) == 0


def test_undo_is_a_new_row_and_leaves_nothing_standing(connection: Connection, ann: Person) -> None:
    pair_id = pair_of(connection)
    record_judgment(connection, graded(ann, pair_id, 2, "t1"))
    undone = undo_latest(connection, ann.person_id, "u1")
    assert undone is not None
    assert undone.pair_id == pair_id
    assert [row.outcome for row in raw_judgments(connection)] == ["grade", "undone"]
    assert list(current_grades(connection)) == []
    assert human_grades(connection, pair_id) == 0


def test_undo_goes_back_step_by_step(connection: Connection, ann: Person, bob: Person) -> None:
    first, second = pair_of(connection, "q1", "d1"), pair_of(connection, "q1", "d2")
    record_judgment(connection, graded(ann, first, 2, "t1"))
    record_judgment(connection, graded(ann, second, 1, "t2"))
    record_judgment(connection, graded(bob, first, 3, "t3"))
    undone = [undo_latest(connection, ann.person_id, f"u{n}") for n in range(3)]
    assert [one and one.pair_id for one in undone] == [second, first, None]
    assert grades_now(connection) == [("q1", "d1", "bob", 3)]


def test_the_same_undo_twice_undoes_one(connection: Connection, ann: Person) -> None:
    record_judgment(connection, graded(ann, pair_of(connection, "q1", "d1"), 2, "t1"))
    record_judgment(connection, graded(ann, pair_of(connection, "q1", "d2"), 1, "t2"))
    first = undo_latest(connection, ann.person_id, "u1")
    again = undo_latest(connection, ann.person_id, "u1")
    assert first is not None
    assert again is not None
    assert again.repeated
    assert again.judgment_id == first.judgment_id
    assert grades_now(connection) == [("q1", "d1", "ann", 2)]


def test_imported_judgments_are_not_undone(connection: Connection, ann: Person) -> None:
    import_judgments_batch(connection, [imported(ann, 2)])
    assert undo_latest(connection, ann.person_id, "u1") is None


def test_an_undone_pair_can_be_graded_again(connection: Connection, ann: Person) -> None:
    pair_id = pair_of(connection)
    record_judgment(connection, graded(ann, pair_id, 2, "t1"))
    undo_latest(connection, ann.person_id, "u1")
    record_judgment(connection, graded(ann, pair_id, 0, "t2"))
    assert grades_now(connection) == [("q1", "d1", "ann", 0)]
    undone = undo_latest(connection, ann.person_id, "u2")
    assert undone is not None
    assert grades_now(connection) == []


@pytest.mark.parametrize(
    ("outcome", "grade"), [("grade", 4), ("grade", -1), ("grade", None), ("skip", 2), ("?", None)]
)
def test_the_database_refuses_what_is_no_judgment(
    connection: Connection, ann: Person, outcome: str, grade: int | None
) -> None:
    wrong = NewJudgment(pair_of(connection), ann.person_id, outcome, "t1", grade=grade)
    with pytest.raises(IntegrityError):
        record_judgment(connection, wrong)


def test_the_database_refuses_unknown_pairs_and_raters(connection: Connection, ann: Person) -> None:
    with pytest.raises(IntegrityError):
        record_judgment(connection, NewJudgment(999, ann.person_id, "skip", "t1"))


def test_rows_come_by_query_document_and_rater(
    connection: Connection, ann: Person, bob: Person
) -> None:
    rows = [
        imported(rater, 1, query_id=query, doc_id=document)
        for query in ("q2", "q1")
        for document in ("d2", "d1")
        for rater in (bob, ann)
    ]
    import_judgments_batch(connection, rows)
    found = [(row.query_id, row.doc_id, row.rater) for row in current_grades(connection)]
    assert found == sorted(found)
    assert len(found) == 8


def test_counts(connection: Connection, ann: Person, bob: Person) -> None:
    first, second = pair_of(connection, "q1", "d1"), pair_of(connection, "q1", "d2")
    record_judgment(connection, graded(ann, first, 2, "t1"))
    record_judgment(connection, graded(bob, first, 2, "t2"))
    record_judgment(connection, graded(ann, second, 2, "t3"))
    record_judgment(connection, NewJudgment(second, bob.person_id, "skip", "t4"))
    import_judgments_batch(
        connection, [imported(add_person(connection, "old.tsv"), 1, query_id="q2")]
    )
    counts = count_judgments(connection, raters_per_pair=2)
    assert (counts.judgments, counts.grades, counts.judged_pairs) == (5, 4, 3)
    assert (counts.human_pairs, counts.complete_pairs) == (2, 1)


def test_an_aborted_transaction_leaves_nothing(pooled: Store) -> None:
    with suppress(RollBack), pooled.write() as connection:
        ann = add_person(connection, "ann")
        record_judgment(connection, graded(ann, pair_of(connection), 3, "t1"))
        raise RollBack
    with pooled.read() as connection:
        assert list(raw_judgments(connection)) == []
        assert human_grades(connection, pair_of(connection)) == 0
