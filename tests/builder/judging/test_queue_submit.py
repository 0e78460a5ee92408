"""A grade is kept once, as it was given, or refused."""

import threading
from typing import Any

import pytest
from sqlalchemy import update

from builder.errors import BuilderError, NotAllowedError
from builder.judging.queue import Outcome, next_pair, progress_of, skip, submit_grade, undo_last
from builder.store.judgments import raw_judgments
from builder.store.people import add_person
from builder.store.schema import people
from builder.workspace import Workspace
from tests.builder.judging.conftest import ONCE, grade, grades_of, log_length, pair_for


def test_a_grade_is_committed_before_submit_returns(workspace: Workspace) -> None:
    pair = pair_for(workspace, "ann")
    outcome = grade(workspace, "ann", pair, 3, comment="clear", milliseconds=1234)
    with workspace.store.read() as connection:
        (row,) = raw_judgments(connection)
    assert (row.judgment_id, row.grade, row.comment, row.milliseconds) == (
        outcome.judgment_id,
        3,
        "clear",
        1234,
    )


def test_the_same_submit_twice_is_one(workspace: Workspace) -> None:
    pair = pair_for(workspace, "ann")
    first = grade(workspace, "ann", pair, 2, token=ONCE)
    again = grade(workspace, "ann", pair, 0, token=ONCE)
    assert (first.status, again.status) == ("saved", "repeated")
    assert (again.grade, again.judgment_id) == (2, first.judgment_id)
    assert log_length(workspace) == 1


def test_the_same_submit_from_many_threads_is_one(workspace: Workspace) -> None:
    pair = pair_for(workspace, "ann")
    outcomes: list[Outcome] = []
    threads = [
        threading.Thread(
            target=lambda: outcomes.append(grade(workspace, "ann", pair, 2, token=ONCE))
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcome.status for outcome in outcomes) == ["repeated"] * 7 + ["saved"]
    assert log_length(workspace) == 1


def test_a_stale_tab_changes_nothing_and_is_told(workspace: Workspace) -> None:
    pair = pair_for(workspace, "ann")
    first = grade(workspace, "ann", pair, 3)
    stale = grade(workspace, "ann", pair, 0)
    assert (stale.status, stale.grade, stale.judgment_id) == (
        "already_graded",
        3,
        first.judgment_id,
    )
    assert log_length(workspace) == 1


def test_an_edit_replaces_the_grade_by_a_new_row(workspace: Workspace) -> None:
    pair = pair_for(workspace, "ann")
    grade(workspace, "ann", pair, 3)
    assert grade(workspace, "ann", pair, 0, edit=True).status == "saved"
    assert grades_of(workspace, "ann") == [0]
    assert log_length(workspace) == 2


@pytest.mark.parametrize("given", [-1, 4, 1.0, True, "2", None])
def test_what_is_no_grade_is_refused(workspace: Workspace, given: Any) -> None:
    pair = pair_for(workspace, "ann")
    with pytest.raises(BuilderError, match="a grade is 0, 1, 2 or 3"):
        grade(workspace, "ann", pair, given)
    assert log_length(workspace) == 0


def test_an_unknown_pair_is_refused(workspace: Workspace) -> None:
    with pytest.raises(BuilderError, match="no pair 999"):
        submit_grade(workspace, "ann", 999, 1, token=ONCE)


@pytest.mark.parametrize("comment", ["a\x00b", "\ud83d", "x" * 10_001])
def test_comments_that_cannot_be_kept_are_refused(workspace: Workspace, comment: str) -> None:
    with pytest.raises(BuilderError, match="comment"):
        grade(workspace, "ann", pair_for(workspace, "ann"), comment=comment)


@pytest.mark.parametrize("token", ["", "x" * 65, "import-1"])
def test_tokens_that_are_none_are_refused(workspace: Workspace, token: str) -> None:
    with pytest.raises(BuilderError, match="token"):
        grade(workspace, "ann", pair_for(workspace, "ann"), token=token)


def test_only_active_people_grade(workspace: Workspace) -> None:
    pair = pair_for(workspace, "ann")
    with workspace.store.write() as connection:
        add_person(connection, "old.tsv", kind="import")
        connection.execute(update(people).where(people.c.name == "bob").values(active=0))
    for name in ("nobody", "old.tsv", "bob"):
        with pytest.raises(NotAllowedError):
            next_pair(workspace, name)
        with pytest.raises(NotAllowedError):
            grade(workspace, name, pair)
        with pytest.raises(NotAllowedError):
            skip(workspace, name, pair.pair_id, token=ONCE)
        with pytest.raises(NotAllowedError):
            undo_last(workspace, name)
        with pytest.raises(NotAllowedError):
            progress_of(workspace, name)
    assert log_length(workspace) == 0
