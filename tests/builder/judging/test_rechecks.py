"""A re-check opens its pair once more, for whoever has not graded it, and says nothing of why."""

import random
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import select

from builder.curation import merge_queries, preview_merge
from builder.judging.adjudication import decide
from builder.judging.queue import cannot_judge, next_pair, progress_of, undo_last
from builder.people import Person, ensure_person, exclude_rater, include_rater
from builder.store import Connection
from builder.store.query_edits import documents_of
from builder.store.quota import set_query_state
from builder.store.rechecks import (
    NewRecheck,
    Recheck,
    add_rechecks,
    obstacles,
    pair_ids_of,
    standing_rechecks,
    take_back_rechecks,
)
from builder.store.schema import pairs
from builder.workspace import Workspace, open_workspace
from tests.builder.judging.conftest import filled, grade, grade_all, key_of, pair_for
from tests.workspaces import ask_raters, copied


def graded_by_two(root: Path) -> Workspace:
    """Two of three raters graded all eight pairs, which is what the workspace asks for."""
    workspace = filled(root, n_queries=2, n_ranks=4)
    for rater in ("ann", "bob"):
        grade_all(workspace, rater)
    assert next_pair(workspace, "cy") is None
    return workspace


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Workspace]:
    with copied(graded_by_two, tmp_path / "workspace") as opened:
        yield opened


def ask(workspace: Workspace, query_id: str = "q0", doc_id: str = "d0") -> int:
    with workspace.store.write() as connection:
        pair_id = pair_ids_of(connection, [(query_id, doc_id)])[query_id, doc_id]
        add_rechecks(connection, [NewRecheck(pair_id, 1, 3)], "ann")
    return pair_id


def asked(workspace: Workspace) -> list[Recheck]:
    with workspace.store.read() as connection:
        return standing_rechecks(connection)


def in_the_way(workspace: Workspace, pair_id: int) -> str | None:
    with workspace.store.read() as connection:
        return obstacles(connection, [pair_id]).get(pair_id)


def wants(connection: Connection, pair_id: int) -> tuple[Any, ...]:
    """Extra, quota and open slots."""
    columns = (pairs.c.extra, pairs.c.quota, pairs.c.open_slots)
    return tuple(connection.execute(select(*columns).where(pairs.c.pair_id == pair_id)).one())


def test_only_who_has_not_graded_it_is_asked_and_the_pair_looks_like_any_other(
    graded: Workspace,
) -> None:
    pair_id = ask(graded)
    assert next_pair(graded, "ann") is None
    assert next_pair(graded, "bob") is None
    shown = pair_for(graded, "cy")
    assert shown.pair_id == pair_id
    told = repr(asdict(shown)) + repr(progress_of(graded, "cy"))
    for word in ("recheck", "weak", "click", "extra", "grade="):
        assert word not in told.lower()
    assert [(row.grade, row.weak_grade, row.waits) for row in asked(graded)] == [(1, 3, True)]
    grade(graded, "cy", shown, 2)
    assert [row.given for row in asked(graded)] == [(2,)]
    assert next_pair(graded, "cy") is None


def test_an_answer_that_is_undone_is_none(graded: Workspace) -> None:
    ask(graded)
    grade(graded, "cy", pair_for(graded, "cy"), 2)
    undo_last(graded, "cy")
    assert [row.waits for row in asked(graded)] == [True]
    assert next_pair(graded, "cy") is not None


def test_who_had_graded_it_and_grades_again_answers_nothing(graded: Workspace) -> None:
    undo_last(graded, "bob")
    last = pair_for(graded, "bob")
    grade(graded, "bob", last, 0)
    ask(graded, last.query.query_id, last.document.doc_id)
    undo_last(graded, "bob")
    assert pair_for(graded, "bob").pair_id == last.pair_id
    grade(graded, "bob", last, 3)
    assert [row.given for row in asked(graded)] == [()]
    assert pair_for(graded, "cy").pair_id == last.pair_id


def test_taken_back_it_is_closed_as_before(graded: Workspace) -> None:
    pair_id = ask(graded)
    with graded.store.write() as connection:
        assert wants(connection, pair_id) == (1, 3, 1)
        take_back_rechecks(connection, standing_rechecks(connection))
        assert wants(connection, pair_id) == (0, 2, 0)
    assert next_pair(graded, "cy") is None
    assert asked(graded) == []


def test_a_second_one_may_follow_and_is_taken_back_alone(graded: Workspace) -> None:
    pair_id = ask(graded)
    grade(graded, "cy", pair_for(graded, "cy"), 2)
    assert in_the_way(graded, pair_id) == "nobody_left"
    ensure_person(graded, "dot")
    assert in_the_way(graded, pair_id) is None
    ask(graded)
    assert in_the_way(graded, pair_id) == "waiting"
    assert pair_for(graded, "dot").pair_id == pair_id
    with graded.store.write() as connection:
        newest, *_ = standing_rechecks(connection)
        take_back_rechecks(connection, [newest])
        assert wants(connection, pair_id) == (1, 3, 0)
    assert [row.given for row in asked(graded)] == [(2,)]


def test_other_raters_per_pair_keep_the_extra_slot(graded: Workspace) -> None:
    pair_id = ask(graded)
    for n, expected in ((3, (1, 4, 2)), (2, (1, 3, 1))):
        ask_raters(graded.root, n)
        with open_workspace(graded.root) as opened, opened.store.read() as connection:
            assert wants(connection, pair_id) == expected


def test_a_rule_of_fewer_raters_closes_no_pair_that_waits(graded: Workspace) -> None:
    pair_id = ask(graded)
    ask_raters(graded.root, 1)
    with open_workspace(graded.root) as opened:
        assert pair_for(opened, "cy").pair_id == pair_id
        with opened.store.write() as connection:
            assert wants(connection, pair_id) == (2, 3, 1)
            take_back_rechecks(connection, standing_rechecks(connection))
            assert wants(connection, pair_id) == (0, 1, 0)


def test_a_rater_who_counts_again_closes_no_pair_that_waits(graded: Workspace) -> None:
    ann = ensure_person(graded, "ann")
    exclude_rater(graded, "bob", "careless", ann)
    pair_id = ask(graded)
    include_rater(graded, "bob", ann)
    assert pair_for(graded, "cy").pair_id == pair_id


def test_what_is_in_the_way_is_named(graded: Workspace) -> None:
    ids = {doc_id: ask_nobody(graded, doc_id) for doc_id in ("d0", "d1", "d2", "d3")}
    ann = ensure_person(graded, "ann")
    decide(graded, ann, ids["d0"], 2, "guideline applied", token=uuid4().hex)
    for rater in ("cy", "dot"):
        ensure_person(graded, rater)
        cannot_judge(graded, rater, ids["d1"], "who knows", token=uuid4().hex)
    assert in_the_way(graded, ids["d0"]) == "adjudicated"
    assert in_the_way(graded, ids["d1"]) == "cannot_judge"
    assert in_the_way(graded, ids["d2"]) is None
    exclude_rater(graded, "cy", "careless", ann)
    assert in_the_way(graded, ids["d2"]) is None
    exclude_rater(graded, "dot", "careless", ann)
    assert in_the_way(graded, ids["d2"]) == "nobody_left"
    with graded.store.write() as connection:
        set_query_state(connection, key_of(connection, "q0"), set_aside=True)
    assert in_the_way(graded, ids["d3"]) == "set_aside"


def ask_nobody(workspace: Workspace, doc_id: str) -> int:
    """The pair_id of a pair of q0."""
    with workspace.store.read() as connection:
        return pair_ids_of(connection, [("q0", doc_id)])["q0", doc_id]


def test_a_merged_query_takes_its_rechecks_along(graded: Workspace) -> None:
    ask(graded, "q1", "d0")
    ask(graded, "q1", "d1")
    ask(graded, "q0", "d1")
    merge(graded, "q0", "q1")
    with graded.store.read() as connection:
        there = documents_of(connection, key_of(connection, "q0"))
        waiting = {row.pair_id for row in standing_rechecks(connection) if row.waits}
        assert waiting == {there["d0"], there["d1"]}
        assert len(standing_rechecks(connection)) == 2  # q1 with d1: that pair waited already
        assert [wants(connection, there[doc_id]) for doc_id in ("d0", "d1")] == [(1, 3, 1)] * 2
    assert {pair.pair_id for pair in grade_all(graded, "cy")} == waiting


def test_grades_that_a_merged_query_brings_are_no_answer_and_close_nothing(
    graded: Workspace,
) -> None:
    # cy graded the merged query's pair before; ann and bob graded both.
    ask(graded, "q1", "d0")
    grade(graded, "cy", pair_for(graded, "cy"), 3)
    ensure_person(graded, "dot")
    pair_id = ask(graded, "q0", "d0")
    merge(graded, "q0", "q1")
    found = {row.waits for row in asked(graded) if row.pair_id == pair_id}
    assert found == {True, False}  # the one of q1 stays answered, that of q0 still waits
    assert next_pair(graded, "cy") is None
    assert pair_for(graded, "dot").pair_id == pair_id


def merge(workspace: Workspace, keep: str, merged: str) -> None:
    preview = preview_merge(workspace, keep, merged)
    merge_queries(workspace, keep, merged, None, preview=preview)


def test_whatever_happens_taking_all_back_leaves_the_rule_and_nothing_else(
    graded: Workspace,
) -> None:
    people = [ensure_person(graded, name) for name in ("dot", "eve", "fay")]
    rng = random.Random(7)
    for _ in range(25):
        act(graded, rng, people)
    with graded.store.write() as connection:
        for recheck in standing_rechecks(connection):
            take_back_rechecks(connection, [recheck])
        found = connection.execute(select(pairs.c.extra, pairs.c.quota).distinct()).all()
    assert [tuple(row) for row in found] == [(0, 2)]


def act(workspace: Workspace, rng: random.Random, people: list[Person]) -> None:
    query_id, doc_id = f"q{rng.randrange(2)}", f"d{rng.randrange(4)}"
    with workspace.store.read() as connection:
        pair_id = pair_ids_of(connection, [(query_id, doc_id)])[query_id, doc_id]
    if in_the_way(workspace, pair_id) is None:
        ask(workspace, query_id, doc_id)
    rater = rng.choice(people).name
    pair = next_pair(workspace, rater)
    if pair is not None and rng.random() < 0.7:
        grade(workspace, rater, pair, rng.randrange(4))
    if rng.random() < 0.2:
        with workspace.store.write() as connection:
            waiting = [row for row in standing_rechecks(connection) if row.waits]
            take_back_rechecks(connection, waiting[:1])
