"""Whatever happens, the current judgments are what the log says."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select, text

from builder.store import Connection, Store
from builder.store.judgments import (
    ImportedJudgment,
    NewJudgment,
    import_judgments_batch,
    record_judgment,
    undo_latest,
)
from builder.store.moments import utc_text
from builder.store.people import add_person
from builder.store.schema import pairs
from tests.builder.store.conftest import NOON, RollBack, pair_of

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

OPERATIONS = st.lists(_record | _undo | _import, max_size=12)


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


@given(operations=OPERATIONS)
@settings(max_examples=60, deadline=None)
def test_current_judgments_are_the_latest_of_the_log(
    pooled: Store, operations: list[tuple[Any, ...]]
) -> None:
    with suppress(RollBack), pooled.write() as connection:
        for number, operation in enumerate(operations):
            apply(connection, number, operation)
        assert current_as_kept(connection) == current_by_the_log(connection)
        kept = connection.execute(select(pairs.c.pair_id, pairs.c.human_grades))
        assert {row.pair_id: row.human_grades for row in kept} == human_grades_by_the_log(
            connection
        )
        raise RollBack
