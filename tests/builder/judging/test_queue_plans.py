"""One wrong index costs 40 ms a grade at 200,000 pairs; no other test, at twenty, would see it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, event

from builder.judging.queue import (
    Filters,
    cannot_judge,
    flag_query,
    next_pair,
    next_query_id,
    query_pairs,
    renew_leases,
    skip,
    undo_last,
)
from builder.workspace import Workspace
from tests.builder.judging.conftest import ONCE, grade, pair_for

BIG = ("pairs", "judgments", "current_judgments", "documents", "leases")


@contextmanager
def statements() -> Iterator[dict[str, Any]]:
    """Every statement that any store is given, with the values it was given first."""
    seen: dict[str, Any] = {}

    def note(*told: Any) -> None:
        _connection, _cursor, statement, parameters, _context, many = told
        seen.setdefault(statement, parameters[0] if many else parameters)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def use(workspace: Workspace) -> None:
    """All that a rater does, the long way round."""
    for filters in (Filters(), Filters("t")):
        for number in range(3):
            grade(workspace, "ann", pair_for(workspace, "ann"), token=f"{filters}{number}")
            undo_last(workspace, "ann")
        pair = next_pair(workspace, "ann", filters)
        assert pair is not None
        skip(workspace, "ann", pair.pair_id, token=f"skip {filters}")
    pair = pair_for(workspace, "ann")
    cannot_judge(workspace, "ann", pair.pair_id, "too hard", token=ONCE)
    for number in range(4):
        query_pairs(workspace, "ann", f"q{number}")
        flag_query(workspace, "ann", f"q{number}", "unclear", "why", token=f"flag {number}")
    assert next_pair(workspace, "ann") is None
    assert next_pair(workspace, "ann", Filters("t")) is None
    for _ in range(5):
        undo_last(workspace, "ann")
    next_query_id(workspace, "ann", after="q2")
    next_pair(workspace, "ann", wanted=3)
    later = datetime.now(UTC) + timedelta(minutes=10)
    assert renew_leases(workspace, "ann", active_at=later, now=later) == 1


def plans(workspace: Workspace, seen: dict[str, Any]) -> dict[str, list[str]]:
    found = {}
    with workspace.store.read() as connection:
        for statement, parameters in seen.items():
            if statement.split()[0] in ("SELECT", "UPDATE", "DELETE"):
                plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
                found[statement] = [row[3] for row in plan]
    return found


@pytest.fixture
def planned(workspace: Workspace) -> dict[str, list[str]]:
    with statements() as seen:
        use(workspace)
    return plans(workspace, dict(seen))


def test_the_queue_seeks_and_never_scans(planned: dict[str, list[str]]) -> None:
    assert len(planned) > 30
    scans = {
        statement: step
        for statement, steps in planned.items()
        for step in steps
        if step.split()[0] == "SCAN" and step.split()[1] in BIG
    }
    assert scans == {}


def test_no_index_is_made_on_the_way(planned: dict[str, list[str]]) -> None:
    made = [step for steps in planned.values() for step in steps if "AUTOMATIC" in step]
    assert made == []


def test_what_leads_to_the_next_query_sorts_nothing(planned: dict[str, list[str]]) -> None:
    leading = [steps for steps in planned.values() if any("pairs_open" in step for step in steps)]
    assert len(leading) == 2  # with a tag, and without
    assert not [step for steps in leading for step in steps if "TEMP B-TREE" in step]


def test_what_was_put_off_has_an_index_of_its_own(planned: dict[str, list[str]]) -> None:
    skipped = [
        steps for steps in planned.values() if any("current_judgments_put_off" in s for s in steps)
    ]
    assert len(skipped) == 2
    assert not [step for steps in skipped for step in steps if "TEMP B-TREE" in step]
