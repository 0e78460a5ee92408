"""Disputed pairs: which wait, in which order, who may decide, and what two at once come to."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Thread
from uuid import uuid4

import pytest

from builder.activity import read_activity
from builder.errors import BuilderError, NotAllowedError
from builder.judging import adjudication
from builder.judging.adjudication import (
    Decided,
    count_decided,
    decide,
    decisions,
    dispute_of,
    is_disputed,
    undo_decision,
    waiting,
)
from builder.judging.outcomes import cannot_judge, submit_grade
from builder.people import Person, add_person, ensure_person
from builder.store.adjudications import all_decisions
from builder.store.people import find_person
from builder.store.quota import set_query_state
from builder.workspace import Workspace, open_workspace
from tests.builder.judging.conftest import ONCE, filled, key_of


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Dana is the admin; ann, bob and cy grade."""
    with filled(tmp_path / "workspace") as opened:
        add_person(opened, "dana", "analyst", None)
        yield opened


@pytest.fixture
def dana(workspace: Workspace) -> Person:
    return ensure_person(workspace, "dana")


def give(workspace: Workspace, pair_id: int, **grades: int) -> None:
    for rater, grade in grades.items():
        submit_grade(workspace, rater, pair_id, grade, token=uuid4().hex, edit=True)


def settle(
    workspace: Workspace, actor: Person, pair_id: int, grade: int, **more: object
) -> Decided:
    token = more.pop("token", uuid4().hex)
    return decide(workspace, actor, pair_id, grade, "need misread", token=token, **more)  # type: ignore[arg-type]


def ids(workspace: Workspace) -> list[int]:
    return [row.pair_id for row in waiting(workspace)]


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        ([], False),
        ([3], False),
        ([0, 1], False),
        ([2, 3], False),
        ([1, 2], True),
        ([0, 2], True),
        ([1, 3], True),
        ([0, 1, 1, 2], True),
    ],
)
def test_what_is_disputed(grades: list[int], expected: bool) -> None:
    assert is_disputed(grades) is expected


def test_the_pairs_that_wait_are_those_that_are_disputed(workspace: Workspace) -> None:
    for pair_id, (ann, bob) in enumerate([(0, 1), (1, 2), (2, 3), (0, 3), (1, 1)], start=1):
        give(workspace, pair_id, ann=ann, bob=bob)
    give(workspace, 6, ann=3)
    assert ids(workspace) == [4, 2]
    assert all(
        is_disputed([row.low, row.high]) and dispute_of(workspace, row.pair_id).waits  # type: ignore[union-attr]
        for row in waiting(workspace)
    )


def test_first_come_touched_pairs_then_wide_ones_then_query_by_query(workspace: Workspace) -> None:
    for pair_id in (1, 2, 6, 7, 11):
        give(workspace, pair_id, ann=1, bob=3 if pair_id == 7 else 2)
    touched = {("q2", "d0"): 1, ("q1", "d0"): 3}
    rows = waiting(workspace, touched)
    assert [row.pair_id for row in rows] == [6, 11, 7, 1, 2]
    assert [row.touches for row in rows] == [3, 1, 0, 0, 0]


def test_retired_queries_and_raters_left_out_make_no_dispute(workspace: Workspace) -> None:
    give(workspace, 1, ann=0, bob=3)
    give(workspace, 6, ann=1, bob=2, cy=0)
    with workspace.store.write() as connection:
        set_query_state(connection, key_of(connection, "q0"), status="retired")
    assert ids(workspace) == [6]
    dispute = dispute_of(workspace, 1)
    assert dispute is not None
    assert (dispute.is_disputed, dispute.retired, dispute.waits) == (True, True, False)
    with workspace.store.write() as connection:
        connection.exec_driver_sql(
            "UPDATE people SET excluded_at = 'now', excluded_reason = 'guesses' WHERE name = 'bob'"
        )
    assert ids(workspace) == []
    dispute = dispute_of(workspace, 6)
    assert dispute is not None
    assert [(o.grade, o.excluded) for o in dispute.opinions] == [(0, False), (1, False), (2, True)]


def test_of_many_grades_the_report_says_what_is_disputed(
    workspace: Workspace, dana: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(workspace, 1, ann=0, bob=3)
    give(workspace, 2, ann=2, bob=3)
    give(workspace, 6, ann=1, bob=2)
    at_once = waiting(workspace)
    monkeypatch.setattr(adjudication, "MANY", 0)
    assert waiting(workspace) == at_once
    settle(workspace, dana, 1, 2)
    assert ids(workspace) == [6]


def test_both_sides_are_shown_without_names(workspace: Workspace, dana: Person) -> None:
    submit_grade(
        workspace,
        "ann",
        1,
        3,
        token=ONCE,
        comment="spot on",
        milliseconds=900,
        guidelines_version=1,
    )
    give(workspace, 1, bob=0, dana=1)
    cannot_judge(workspace, "cy", 1, "in Dutch", token=ONCE[1:])
    dispute = dispute_of(workspace, 1, dana)
    assert dispute is not None
    assert [o.grade for o in dispute.opinions] == [0, 1, 3, None]
    assert [o.own for o in dispute.opinions] == [False, True, False, False]
    assert (dispute.opinions[2].comment, dispute.opinions[2].milliseconds) == ("spot on", 900)
    assert dispute.opinions[3].reason == "in Dutch"
    assert dispute.own == 1
    assert not any(name in repr(dispute) for name in ("'ann'", "'bob'", "'cy'"))


def test_a_decision_ends_the_waiting_and_late_grades_do_not_begin_it_again(
    workspace: Workspace, dana: Person
) -> None:
    give(workspace, 1, ann=0, bob=3)
    decided = settle(workspace, dana, 1, 2, milliseconds=1200)
    assert (decided.status, decided.decision.grade, decided.decision.stands) == ("saved", 2, True)
    give(workspace, 1, cy=1)
    assert ids(workspace) == []
    assert count_decided(workspace) == 1


def test_the_same_submit_again_changes_nothing(workspace: Workspace, dana: Person) -> None:
    first = settle(workspace, dana, 1, 2, token=ONCE)
    assert settle(workspace, dana, 1, 2, token=ONCE) == replace(first, status="repeated")
    with pytest.raises(BuilderError, match="another decision"):
        settle(workspace, dana, 2, 2, token=ONCE)
    assert len(decisions(workspace).decisions) == 1


def test_a_submit_that_comes_again_after_it_was_taken_back_says_so(
    workspace: Workspace, dana: Person
) -> None:
    settle(workspace, dana, 1, 2, token=ONCE)
    undo_decision(workspace, dana)
    again = settle(workspace, dana, 1, 2, token=ONCE)
    assert (again.status, again.decision.stands) == ("repeated", False)


def test_the_second_of_two_is_told_and_changes_it_only_on_purpose(
    workspace: Workspace, dana: Person
) -> None:
    eve = add_person(workspace, "eve", "analyst", None)
    first = settle(workspace, dana, 1, 2)
    second = settle(workspace, eve, 1, 0)
    assert (second.status, second.decision) == ("decided_before", first.decision)
    third = settle(workspace, eve, 1, 0, instead_of=first.decision.adjudication_id)
    assert (third.status, third.decision.grade, third.decision.adjudicator) == ("saved", 0, "eve")
    stale = settle(workspace, dana, 1, 3, instead_of=first.decision.adjudication_id)
    assert (stale.status, stale.decision) == ("decided_before", third.decision)


def test_of_many_at_once_exactly_one_stands(workspace: Workspace, dana: Person) -> None:
    n = 6
    together, found = Barrier(n), []

    def run(grade: int) -> None:
        with open_workspace(workspace.root) as mine:
            together.wait()
            found.append(settle(mine, dana, 1, grade % 4))

    threads = [Thread(target=run, args=(grade,)) for grade in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.status for one in found) == ["decided_before"] * (n - 1) + ["saved"]
    assert len({one.decision.adjudication_id for one in found}) == 1
    with workspace.store.read() as connection:
        assert len(all_decisions(connection, standing=False)) == 1


def test_undo_takes_back_ones_own_last_and_names_of_others_any(
    workspace: Workspace, dana: Person
) -> None:
    eve = add_person(workspace, "eve", "analyst", None)
    give(workspace, 1, ann=0, bob=3)
    mine = settle(workspace, dana, 1, 2).decision
    theirs = settle(workspace, eve, 2, 1).decision
    undone = undo_decision(workspace, dana)
    assert undone == mine._replace(stands=False)
    assert ids(workspace) == [1]
    assert undo_decision(workspace, dana) is None
    assert undo_decision(workspace, dana, theirs.adjudication_id) == theirs._replace(stands=False)
    assert undo_decision(workspace, dana, theirs.adjudication_id) is None


def test_what_is_decided_and_taken_back_stands_in_the_log(
    workspace: Workspace, dana: Person
) -> None:
    eve = add_person(workspace, "eve", "analyst", None)
    first = settle(workspace, dana, 1, 2).decision
    second = settle(workspace, eve, 1, 0, instead_of=first.adjudication_id).decision
    undo_decision(workspace, dana, second.adjudication_id)
    entries = [e for e in read_activity(workspace).entries if e.action.startswith("adjudication")]
    assert [(e.actor, e.action, e.subject) for e in entries] == [
        ("dana", "adjudication.undo", "q0"),
        ("eve", "adjudication.decide", "q0"),
        ("dana", "adjudication.decide", "q0"),
    ]
    assert entries[0].details["decided_by"] == "eve"
    assert entries[1].details["instead_of"] == {"grade": 2, "decided_by": "dana"}


def test_decisions_come_page_by_page(workspace: Workspace, dana: Person) -> None:
    for pair_id in range(1, 21):
        settle(workspace, dana, pair_id, 1)
    with workspace.store.read() as connection:
        person = find_person(connection, "dana")
    assert person is not None
    for pair_id in range(1, 8):
        standing = dispute_of(workspace, pair_id)
        assert standing is not None
        assert standing.decision is not None
        number = standing.decision.adjudication_id
        settle(workspace, dana, pair_id, 2, instead_of=number)
    page = decisions(workspace)
    assert len(page.decisions) == 20
    assert (page.older, page.decisions[0].pair_id, page.decisions[0].grade) == (None, 7, 2)
    assert decisions(workspace, page.decisions[4].adjudication_id).decisions == page.decisions[5:]


def test_who_is_no_analyst_now_decides_nothing(workspace: Workspace, dana: Person) -> None:
    ann = ensure_person(workspace, "ann")
    assert ann.role == "admin"  # the first one who came
    bob = ensure_person(workspace, "bob")
    with pytest.raises(NotAllowedError):
        settle(workspace, bob, 1, 2)
    settle(workspace, dana, 1, 2)
    with pytest.raises(NotAllowedError):
        undo_decision(workspace, bob)
    pretended = replace(bob, role="analyst")
    with pytest.raises(NotAllowedError):
        settle(workspace, pretended, 2, 2)


@pytest.mark.parametrize(
    ("pair_id", "grade", "reason", "token"),
    [
        (1, 4, "because", "t"),
        (1, True, "because", "t"),
        (1, 2, "  ", "t"),
        (1, 2, "x" * 501, "t"),
        (1, 2, "\0", "t"),
        (1, 2, "because", ""),
        (1, 2, "because", "import-1"),
        (99, 2, "because", "t"),
    ],
)
def test_what_cannot_be_a_decision_is_refused(
    workspace: Workspace, dana: Person, pair_id: int, grade: int, reason: str, token: str
) -> None:
    with pytest.raises(BuilderError):
        decide(workspace, dana, pair_id, grade, reason, token=token)
    assert count_decided(workspace) == 0
