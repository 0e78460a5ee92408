"""Judgments out of files: which of them stand, and that a file twice changes nothing."""

from datetime import timedelta
from typing import Any

import pytest

from builder.store import Connection
from builder.store.judgments import (
    ImportedJudgment,
    current_grades,
    import_judgments_batch,
    raw_judgments,
    record_judgment,
)
from builder.store.people import Person, add_person
from builder.store.pool import pool_by_source
from tests.builder.store.conftest import NOON, graded, grades_now, human_grades, imported, pair_of


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
