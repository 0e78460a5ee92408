from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError

from builder.store import Connection, Store, open_store
from builder.store.documents import insert_documents
from builder.store.judgments import (
    GradeRow,
    ImportedJudgment,
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
from builder.store.pool import add_pairs, pool_by_source
from builder.store.queries import insert_queries
from builder.store.schema import pairs
from evals.records import Document, Query

NOON = datetime(2025, 6, 2, 12, tzinfo=UTC)


class _Undo(Exception):  # noqa: N818
    """Leaves a transaction without a trace."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
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
def connection(store: Store) -> Iterator[Connection]:
    """A writing transaction that is rolled back."""
    with suppress(_Undo), store.write() as opened:
        yield opened
        raise _Undo


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


# Imports


def test_an_import_with_times_lets_the_latest_stand(connection: Connection, ann: Person) -> None:
    later, earlier = NOON + timedelta(days=1), NOON - timedelta(days=1)
    fates = import_judgments_batch(
        connection, [imported(ann, 1, NOON), imported(ann, 2, later), imported(ann, 3, earlier)]
    )
    assert fates == ["accepted", "accepted", "older"]
    assert grades_now(connection) == [("q1", "d1", "ann", 2)]
    assert len(list(raw_judgments(connection))) == 3


def test_an_older_time_that_arrives_late_stays_history(connection: Connection, ann: Person) -> None:
    record_judgment(connection, graded(ann, pair_of(connection), 3, "t1"), NOON)
    fates = import_judgments_batch(connection, [imported(ann, 0, NOON - timedelta(seconds=1))])
    assert fates == ["older"]
    assert grades_now(connection) == [("q1", "d1", "ann", 3)]


def test_the_same_file_twice_changes_nothing(connection: Connection, ann: Person) -> None:
    rows = [
        imported(ann, 1, NOON),
        imported(ann, 2, NOON),  # the same time: the later row stands
        imported(ann, 1),
        imported(ann, 1),
        imported(ann, 2),
        imported(ann, None),
        imported(ann, 0, doc_id="d2"),
    ]
    first = import_judgments_batch(connection, rows)
    assert first == ["accepted", "accepted", "accepted", "duplicate"] + ["accepted"] * 3
    before = list(current_grades(connection))
    assert import_judgments_batch(connection, rows) == ["duplicate"] * 7
    assert list(current_grades(connection)) == before


def test_the_same_file_does_not_undo_a_later_edit(connection: Connection, ann: Person) -> None:
    rows = [imported(ann, 1)]
    import_judgments_batch(connection, rows)
    record_judgment(connection, graded(ann, pair_of(connection), 3, "t1"))
    assert import_judgments_batch(connection, rows) == ["duplicate"]
    assert grades_now(connection) == [("q1", "d1", "ann", 3)]


def test_a_corrected_file_may_go_back_to_an_earlier_grade(
    connection: Connection, ann: Person
) -> None:
    for grade in (1, 2, 1):
        assert import_judgments_batch(connection, [imported(ann, grade)]) == ["accepted"]
    assert grades_now(connection) == [("q1", "d1", "ann", 1)]


def test_what_was_exported_comes_back_as_duplicates(connection: Connection, ann: Person) -> None:
    record_judgment(connection, graded(ann, pair_of(connection), 3, "t1"), NOON)
    exported = [
        ImportedJudgment(
            row.query_id, row.doc_id, ann.person_id, row.outcome, row.grade, "", row.judged_at
        )
        for row in current_grades(connection)
    ]
    assert import_judgments_batch(connection, exported) == ["duplicate"]


def test_a_pair_outside_the_pool_joins_it(connection: Connection, ann: Person) -> None:
    import_judgments_batch(connection, [imported(ann, 2, doc_id="d3"), imported(ann, 1)])
    assert pool_by_source(connection) == {"bm25": 4, "import": 1}
    assert human_grades(connection, pair_of(connection, "q1", "d3")) == 1


def test_grades_of_other_kinds_are_no_human_grades(connection: Connection) -> None:
    file = add_person(connection, "old.tsv")
    import_judgments_batch(connection, [imported(file, 2)])
    assert human_grades(connection, pair_of(connection)) == 0


@pytest.mark.parametrize("change", [{"query_id": "q9"}, {"doc_id": "d9"}])
def test_unknown_ids_are_refused(
    connection: Connection, ann: Person, change: dict[str, Any]
) -> None:
    with pytest.raises(LookupError, match="9"):
        import_judgments_batch(connection, [imported(ann, 2)._replace(**change)])


@pytest.mark.parametrize("moment", ["2026-11-30", "2026-11-30T12:00:00+00:00", "yesterday"])
def test_a_time_written_otherwise_is_refused(
    connection: Connection, ann: Person, moment: str
) -> None:
    with pytest.raises(ValueError, match="judged_at"):
        import_judgments_batch(connection, [imported(ann, 2)._replace(judged_at=moment)])


def test_no_rows_are_no_work(connection: Connection) -> None:
    assert import_judgments_batch(connection, []) == []


# Whatever happens, the current judgments are what the log says.

_PAIRS = [("q1", "d1"), ("q1", "d2"), ("q2", "d1")]
_times = st.none() | st.integers(-3, 3)
_pairs = st.sampled_from(_PAIRS)
_raters = st.sampled_from(["ann", "bob", "old.tsv"])
_verdicts = st.sampled_from([("grade", 0), ("grade", 3), ("skip", None), ("cannot_judge", None)])
_record = st.tuples(st.just("record"), _raters, _pairs, _verdicts, st.integers(-3, 3))
_undo = st.tuples(st.just("undo"), _raters)
_import = st.tuples(
    st.just("import"), st.lists(st.tuples(_raters, _pairs, _verdicts, _times), max_size=6)
)


def apply(connection: Connection, number: int, operation: tuple[Any, ...]) -> None:
    match operation:
        case ("record", rater, pair, (outcome, grade), hours):
            judgment = NewJudgment(
                pair_of(connection, *pair),
                add_person(connection, rater).person_id,
                outcome,
                f"t{number}",
                grade=grade,
            )
            record_judgment(connection, judgment, NOON + timedelta(hours=hours))
        case ("undo", rater):
            person = add_person(connection, rater)
            undo_latest(connection, person.person_id, f"t{number}")
        case ("import", rows):
            batch = [
                ImportedJudgment(
                    query_id,
                    doc_id,
                    add_person(connection, rater).person_id,
                    outcome,
                    grade,
                    judged_at=None if hours is None else utc_text(NOON + timedelta(hours=hours)),
                )
                for rater, (query_id, doc_id), (outcome, grade), hours in rows
            ]
            fates = import_judgments_batch(connection, batch)
            assert len(fates) == len(batch)


def current_by_the_log(connection: Connection) -> list[tuple[Any, ...]]:
    ranked = (
        "SELECT pair_id, rater_id, judgment_id, outcome FROM (SELECT *, row_number() OVER ("
        " PARTITION BY pair_id, rater_id"
        " ORDER BY coalesce(judged_at, recorded_at) DESC, judgment_id DESC) AS place"
        " FROM judgments) WHERE place = 1 ORDER BY pair_id, rater_id"
    )
    return [tuple(row) for row in connection.execute(text(ranked))]


def current_as_kept(connection: Connection) -> list[tuple[Any, ...]]:
    kept = (
        "SELECT pair_id, rater_id, judgment_id, outcome FROM current_judgments"
        " ORDER BY pair_id, rater_id"
    )
    return [tuple(row) for row in connection.execute(text(kept))]


def human_grades_by_the_log(connection: Connection) -> dict[int, int]:
    humans = {
        row.person_id
        for row in connection.execute(text("SELECT person_id FROM people WHERE kind = 'human'"))
    }
    counted = dict.fromkeys(connection.execute(select(pairs.c.pair_id)).scalars(), 0)
    for pair_id, rater_id, _, outcome in current_by_the_log(connection):
        counted[pair_id] += outcome == "grade" and rater_id in humans
    return counted


@given(operations=st.lists(_record | _undo | _import, max_size=12))
@settings(max_examples=60, deadline=None)
def test_current_judgments_are_the_latest_of_the_log(
    store: Store, operations: list[tuple[Any, ...]]
) -> None:
    with suppress(_Undo), store.write() as connection:
        for number, operation in enumerate(operations):
            apply(connection, number, operation)
        assert current_as_kept(connection) == current_by_the_log(connection)
        kept = connection.execute(select(pairs.c.pair_id, pairs.c.human_grades))
        assert {row.pair_id: row.human_grades for row in kept} == human_grades_by_the_log(
            connection
        )
        raise _Undo


def test_an_aborted_transaction_leaves_nothing(store: Store) -> None:
    with suppress(_Undo), store.write() as connection:
        ann = add_person(connection, "ann")
        record_judgment(connection, graded(ann, pair_of(connection), 3, "t1"))
        raise _Undo
    with store.read() as connection:
        assert list(raw_judgments(connection)) == []
        assert human_grades(connection, pair_of(connection)) == 0
