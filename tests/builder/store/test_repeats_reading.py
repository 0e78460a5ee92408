"""What counts as graded twice, and what is only a correction."""

from datetime import timedelta
from typing import Any

import pytest

from builder.store import Connection
from builder.store.judgments import import_judgments_batch, record_judgment, undo_latest
from builder.store.people import Person, add_person
from builder.store.query_edits import Carried, carry_over, copy_pairs, standing_of_query
from builder.store.repeats_reading import read_repeats
from builder.store.shown import query_key_of
from tests.builder.store.conftest import NOON, graded, imported, pair_of

HOUR = timedelta(hours=1)


def found(connection: Connection) -> list[tuple[str, int, int]]:
    repeats = read_repeats(connection)
    assert list(repeats.raters) == sorted(set(repeats.raters))
    rows = zip(repeats.rater.tolist(), repeats.first.tolist(), repeats.second.tolist(), strict=True)
    return [(repeats.raters[rater], first, second) for rater, first, second in rows]


def key_of(connection: Connection, query_id: str) -> int:
    query_key = query_key_of(connection, query_id)
    assert query_key is not None
    return query_key


def merge(connection: Connection, merged: str, keep: str) -> None:
    from_key, to_key = key_of(connection, merged), key_of(connection, keep)
    copy_pairs(connection, from_key, keep)
    own = {(said.doc_id, said.rater) for said in standing_of_query(connection, to_key)}
    carried = [
        Carried(said, said.judged_at, stands=True, replaces=(said.doc_id, said.rater) in own)
        for said in standing_of_query(connection, from_key)
    ]
    carry_over(connection, carried, to_key, "the same")


def test_nothing_is_graded_twice_at_first(connection: Connection, ann: Person) -> None:
    record_judgment(connection, graded(ann, pair_of(connection), 1, "t1"))
    assert found(connection) == []


def test_an_edit_is_a_correction_whenever_it_comes(connection: Connection, ann: Person) -> None:
    pair_id = pair_of(connection)
    record_judgment(connection, graded(ann, pair_id, 0, "t1"), NOON)
    record_judgment(connection, graded(ann, pair_id, 3, "t2"), NOON + 48 * HOUR)
    assert found(connection) == []


def test_what_was_undone_and_graded_anew_is_a_correction(
    connection: Connection, ann: Person
) -> None:
    pair_id = pair_of(connection)
    record_judgment(connection, graded(ann, pair_id, 0, "t1"), NOON)
    undo_latest(connection, ann.person_id, "t2", NOON + 2 * HOUR)
    record_judgment(connection, graded(ann, pair_id, 3, "t3"), NOON + 5 * HOUR)
    assert found(connection) == []


def test_imported_grades_of_two_days_are_repeats(
    connection: Connection, ann: Person, bob: Person
) -> None:
    days = [NOON, NOON + 24 * HOUR, NOON + 48 * HOUR]
    of_ann = [imported(ann, given, day) for given, day in zip((1, 3, 3), days, strict=True)]
    of_bob = [imported(bob, 2, day, doc_id="d2") for day in (days[2], days[0])]
    import_judgments_batch(connection, [*of_ann, *of_bob])
    assert found(connection) == [("ann", 1, 3), ("ann", 3, 3), ("bob", 2, 2)]


@pytest.mark.parametrize(("later", "repeats"), [(0.99, []), (1.0, [("ann", 0, 3)])])
def test_within_an_hour_it_is_a_correction(
    connection: Connection, ann: Person, later: float, repeats: list[Any]
) -> None:
    rows = [imported(ann, 0, NOON), imported(ann, 3, NOON + later * HOUR)]
    import_judgments_batch(connection, rows)
    assert found(connection) == repeats


def test_without_times_nothing_is_known(connection: Connection, ann: Person) -> None:
    import_judgments_batch(connection, [imported(ann, 0), imported(ann, 3), imported(ann, 1)])
    import_judgments_batch(connection, [imported(ann, 2, NOON + 24 * HOUR)])
    assert found(connection) == []


def test_what_a_file_takes_back_is_no_repeat(connection: Connection, ann: Person) -> None:
    taken_back = imported(ann, None, NOON + 2 * HOUR, outcome="undone")
    later = imported(ann, 3, NOON + 5 * HOUR)
    import_judgments_batch(connection, [imported(ann, 0, NOON), taken_back, later])
    assert found(connection) == []


def test_an_edit_of_an_imported_grade_stands_for_it(connection: Connection, ann: Person) -> None:
    first, second = NOON - 48 * HOUR, NOON - 24 * HOUR
    import_judgments_batch(connection, [imported(ann, 0, first), imported(ann, 1, second)])
    record_judgment(connection, graded(ann, pair_of(connection), 2, "t1"), NOON)
    assert found(connection) == [("ann", 0, 2)]


def test_two_queries_that_mean_the_same_ask_twice(
    connection: Connection, ann: Person, bob: Person
) -> None:
    for number, (rater, query, given) in enumerate(
        [(ann, "q1", 1), (ann, "q2", 2), (bob, "q2", 3)]
    ):
        pair_id = pair_of(connection, query)
        moment = NOON + timedelta(minutes=number)
        record_judgment(connection, graded(rater, pair_id, given, f"t{number}"), moment)
    merge(connection, "q2", "q1")
    assert found(connection) == [("ann", 1, 2)]


def test_only_people_contradict_themselves(connection: Connection) -> None:
    file = add_person(connection, "old.tsv")
    import_judgments_batch(connection, [imported(file, n, NOON + 9 * n * HOUR) for n in (0, 1)])
    assert found(connection) == []
