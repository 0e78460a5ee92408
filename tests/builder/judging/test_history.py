"""One's own judgments: searched, paged, changed; how disputes were settled, and when."""

import json
from uuid import uuid4

import pytest

from builder import people
from builder.errors import BuilderError, NotAllowedError
from builder.judging import history
from builder.judging.adjudication import decide, undo_decision, waiting
from builder.judging.guidelines import save_guidelines
from builder.judging.history import (
    Sought,
    change_grade,
    is_final,
    own_history,
    settled_disputes,
)
from builder.judging.queue import submit_grade
from builder.store.history import OwnRow
from builder.store.judgments import NewJudgment, record_judgment
from builder.store.people import add_person, find_person
from builder.store.quota import set_query_state
from builder.workspace import Workspace
from tests.builder.judging.conftest import ONCE, key_of


def say(workspace: Workspace, rater: str, pair_id: int, outcome: str, **more: object) -> None:
    """Write a row of the log."""
    with workspace.store.write() as connection:
        person = find_person(connection, rater)
        assert person is not None
        judgment = NewJudgment(pair_id, person.person_id, outcome, uuid4().hex, **more)  # type: ignore[arg-type]
        record_judgment(connection, judgment)


def grade(workspace: Workspace, rater: str, pair_id: int, given: int, comment: str = "") -> None:
    say(workspace, rater, pair_id, "grade", grade=given, comment=comment)


def shown(workspace: Workspace, **sought: object) -> list[int]:
    """The pair_ids of ann's history."""
    page = own_history(workspace, "ann", Sought(**sought))  # type: ignore[arg-type]
    return [judgment.now.pair_id for judgment in page.judgments]


def standing(workspace: Workspace, rater: str, pair_id: int) -> OwnRow:
    rows = [judgment.now for judgment in own_history(workspace, rater).judgments]
    return next(row for row in rows if row.pair_id == pair_id)


def test_ones_own_newest_first_with_what_was_said_before(workspace: Workspace) -> None:
    grade(workspace, "ann", 1, 1, "at first")
    grade(workspace, "bob", 1, 3)
    grade(workspace, "ann", 2, 0)
    grade(workspace, "ann", 1, 2, "on reflection")
    first, second = own_history(workspace, "ann").judgments
    assert (first.now.pair_id, first.now.grade, first.now.comment) == (1, 2, "on reflection")
    assert [(row.grade, row.comment) for row in first.earlier] == [(1, "at first")]
    assert (second.now.pair_id, second.earlier) == (2, ())
    assert (first.now.query, first.now.title, first.now.tags) == ("query 0", "t0", ("t",))


def test_what_was_taken_back_is_shown_on_demand(workspace: Workspace) -> None:
    grade(workspace, "ann", 1, 1)
    say(workspace, "ann", 1, "undone")
    say(workspace, "ann", 2, "skip")
    assert shown(workspace) == [2]
    assert shown(workspace, outcome="undone") == [1]
    grade(workspace, "ann", 1, 2)
    (again,) = (j for j in own_history(workspace, "ann").judgments if j.now.pair_id == 1)
    assert [row.outcome for row in again.earlier] == ["undone", "grade"]


def test_filters(workspace: Workspace) -> None:
    grade(workspace, "ann", 1, 1)
    grade(workspace, "ann", 2, 3)
    say(workspace, "ann", 3, "skip", reason="tired")
    say(workspace, "ann", 4, "cannot_judge", reason="Chemie")
    assert shown(workspace) == [4, 3, 2, 1]
    assert shown(workspace, outcome="grade") == [2, 1]
    assert shown(workspace, outcome="grade", grade=3) == [2]
    assert shown(workspace, outcome="skip") == [3]
    assert shown(workspace, tag="t") == [4, 3, 2, 1]
    assert shown(workspace, tag="T") == []


@pytest.mark.parametrize(
    ("words", "pair_ids"),
    [
        ("ÄRGER", [1]),
        ("a\u0308rger", [1]),
        ("strasse", [2]),
        ("QUERY 0 t1", [2]),
        ("query t1 nothing", []),
        ("chemie", [3]),
        ("%", [4]),
        ("_", []),
        ("  ", [4, 3, 2, 1]),
    ],
)
def test_search_in_query_title_comment_and_reason(
    workspace: Workspace, words: str, pair_ids: list[int]
) -> None:
    grade(workspace, "ann", 1, 1, "viel Ärger")
    grade(workspace, "ann", 2, 1, "Straße")
    say(workspace, "ann", 3, "cannot_judge", reason="Chemie")
    grade(workspace, "ann", 4, 1, "100 %")
    assert shown(workspace, words=words) == pair_ids


def test_pages_follow_one_another(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "PAGE", 3)
    for pair_id in range(1, 8):
        grade(workspace, "ann", pair_id, 1)
    seen: list[list[int]] = []
    before = None
    while True:
        page = own_history(workspace, "ann", before=before)
        seen.append([judgment.now.pair_id for judgment in page.judgments])
        if (before := page.older) is None:
            break
    assert seen == [[7, 6, 5], [4, 3, 2], [1]]


def test_a_search_goes_on_where_it_stopped(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "STRETCH", 4)
    grade(workspace, "ann", 1, 1, "needle")
    for pair_id in range(2, 8):
        grade(workspace, "ann", pair_id, 1)
    page = own_history(workspace, "ann", Sought("needle"))
    assert (page.judgments, page.searched_to) == ([], page.older)
    assert page.older is not None
    further = own_history(workspace, "ann", Sought("needle"), before=page.older)
    assert [judgment.now.pair_id for judgment in further.judgments] == [1]
    assert further.older is None


def test_a_change_is_a_new_row_under_the_guidelines_of_now(workspace: Workspace) -> None:
    grade(workspace, "ann", 1, 1, "old")
    save_guidelines(workspace, "New rules.", "", None, base_version=1)
    was = standing(workspace, "ann", 1)
    outcome = change_grade(workspace, "ann", was, 3, "new", token=ONCE)
    assert outcome is not None
    assert outcome.status == "saved"
    (judgment,) = own_history(workspace, "ann").judgments
    now = judgment.now
    assert (now.grade, now.comment, now.guidelines_version) == (3, "new", 2)
    assert [(row.grade, row.comment) for row in judgment.earlier] == [(1, "old")]


def test_a_change_of_the_comment_alone(workspace: Workspace) -> None:
    grade(workspace, "ann", 1, 1, "old")
    change_grade(workspace, "ann", standing(workspace, "ann", 1), 1, "", token=ONCE)
    (judgment,) = own_history(workspace, "ann").judgments
    assert (judgment.now.grade, judgment.now.comment, len(judgment.earlier)) == (1, "", 1)


def test_no_change_is_no_row(workspace: Workspace) -> None:
    grade(workspace, "ann", 1, 1, "old")
    was = standing(workspace, "ann", 1)
    assert change_grade(workspace, "ann", was, 1, "old", token=ONCE) is None
    assert standing(workspace, "ann", 1) == was


def test_a_change_sent_twice_is_made_once(workspace: Workspace) -> None:
    grade(workspace, "ann", 1, 1)
    was = standing(workspace, "ann", 1)
    change_grade(workspace, "ann", was, 2, "", token=ONCE)
    again = change_grade(workspace, "ann", was, 2, "", token=ONCE)
    assert again is not None
    assert again.status == "repeated"
    (judgment,) = own_history(workspace, "ann").judgments
    assert len(judgment.earlier) == 1


def test_a_change_from_a_stale_tab_is_refused(workspace: Workspace) -> None:
    grade(workspace, "ann", 1, 1)
    was = standing(workspace, "ann", 1)
    grade(workspace, "ann", 1, 3)
    with pytest.raises(BuilderError, match="elsewhere"):
        change_grade(workspace, "ann", was, 2, "", token=ONCE)
    assert standing(workspace, "ann", 1).grade == 3


def test_nobody_changes_for_somebody_else(workspace: Workspace) -> None:
    grade(workspace, "ann", 1, 1)
    with pytest.raises(BuilderError, match="elsewhere"):
        change_grade(workspace, "bob", standing(workspace, "ann", 1), 2, "", token=ONCE)
    with pytest.raises(NotAllowedError):
        own_history(workspace, "nobody")


def disputes(
    workspace: Workspace, rater: str = "ann"
) -> list[tuple[int, int | None, int | None, int]]:
    page = settled_disputes(workspace, rater)
    return [(s.own.pair_id, s.own.grade, s.grade, s.n_grades) for s in page.disputes]


def go_on(workspace: Workspace) -> None:
    """Each has said something else since: the last grade is not the last word any more."""
    for rater in ("ann", "bob", "cy"):
        say(workspace, rater, 20, "skip")


def test_a_dispute_is_shown_once_the_pair_is_complete(workspace: Workspace) -> None:
    grade(workspace, "bob", 1, 3)
    go_on(workspace)
    assert disputes(workspace) == []
    grade(workspace, "ann", 1, 1)
    assert (disputes(workspace), disputes(workspace, "bob")) == ([], [(1, 3, None, 2)])
    go_on(workspace)
    assert disputes(workspace) == [(1, 1, None, 2)]
    grade(workspace, "cy", 1, 3)
    assert disputes(workspace) == [(1, 1, None, 3)]
    grade(workspace, "ann", 2, 1)
    grade(workspace, "bob", 2, 1)
    assert len(disputes(workspace)) == 1


def test_who_has_not_graded_learns_nothing(workspace: Workspace) -> None:
    grade(workspace, "bob", 1, 3)
    grade(workspace, "cy", 1, 1)
    assert disputes(workspace) == []
    say(workspace, "ann", 1, "skip")
    go_on(workspace)
    assert disputes(workspace) == []
    grade(workspace, "ann", 1, 2)
    say(workspace, "ann", 1, "undone")
    go_on(workspace)
    assert disputes(workspace) == []


def test_an_open_pair_with_more_grades_to_come_is_not_shown(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        connection.exec_driver_sql("UPDATE pairs SET quota = 3")
    grade(workspace, "ann", 1, 1)
    grade(workspace, "bob", 1, 3)
    go_on(workspace)
    assert disputes(workspace) == []
    grade(workspace, "cy", 1, 3)
    assert disputes(workspace) == [(1, 1, None, 3)]


def test_what_waits_for_an_analyst_is_not_settled(workspace: Workspace) -> None:
    given = {1: (0, 1), 2: (3, 2), 3: (1, 2), 4: (0, 2), 5: (1, 3)}
    for pair_id, (ann, bob) in given.items():
        grade(workspace, "ann", pair_id, ann)
        grade(workspace, "bob", pair_id, bob)
    go_on(workspace)
    assert [row.pair_id for row in waiting(workspace)] == [4, 5, 3]
    found = {pair_id: settled for pair_id, _, settled, _ in disputes(workspace)}
    assert found == {1: 0, 2: 2, 3: None, 4: None, 5: None}


def test_pairs_of_retired_queries_neither_wait_nor_are_settled(workspace: Workspace) -> None:
    for pair_id in (1, 2):
        grade(workspace, "ann", pair_id, 0)
        grade(workspace, "bob", pair_id, pair_id)
    go_on(workspace)
    with workspace.store.write() as connection:
        set_query_state(connection, key_of(connection, "q0"), status="retired")
    page = settled_disputes(workspace, "ann")
    assert [(row.grade, row.retired) for row in page.disputes] == [(None, True), (None, True)]


def test_imported_grades_count_as_in_qrels_but_make_no_dispute(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        add_person(connection, "old.tsv", kind="import")
    grade(workspace, "old.tsv", 1, 0)
    grade(workspace, "ann", 1, 1)
    grade(workspace, "bob", 1, 1)
    go_on(workspace)
    assert disputes(workspace) == []
    grade(workspace, "bob", 1, 2)
    assert disputes(workspace) == [(1, 1, None, 3)]
    grade(workspace, "bob", 1, 0)
    assert disputes(workspace) == [(1, 1, 0, 3)]


def test_a_page_of_disputes_tells_no_names(workspace: Workspace) -> None:
    grade(workspace, "ann", 1, 1)
    grade(workspace, "bob", 1, 3)
    go_on(workspace)
    (settled,) = settled_disputes(workspace, "ann").disputes
    assert "bob" not in json.dumps(settled, default=repr)


def test_what_an_analyst_decided_is_told_with_its_reason(workspace: Workspace) -> None:
    dana = people.add_person(workspace, "dana", "analyst", None)
    grade(workspace, "ann", 1, 1)
    grade(workspace, "bob", 1, 3)
    grade(workspace, "ann", 2, 0)  # nobody else graded it, and yet it was decided
    grade(workspace, "bob", 3, 2)  # decided, but ann has yet to grade it
    for pair_id in (1, 2, 3):
        decide(workspace, dana, pair_id, 2, "need misread", token=f"{ONCE}{pair_id}")
    alone, shared = settled_disputes(workspace, "ann").disputes
    assert (alone.own.pair_id, alone.grade, alone.n_grades, alone.adjudicated) == (2, 2, 1, True)
    assert (shared.grade, shared.reason, shared.n_grades) == (2, "need misread", 2)
    assert shared.decided_at
    assert "dana" not in repr((alone, shared))
    go_on(workspace)
    grade(workspace, "ann", 4, 1)
    grade(workspace, "bob", 4, 0)
    go_on(workspace)
    assert [row.own.pair_id for row in settled_disputes(workspace, "ann").disputes] == [4, 2, 1]
    decided = settled_disputes(workspace, "ann", decided_only=True).disputes
    assert [row.own.pair_id for row in decided] == [2, 1]
    undo_decision(workspace, dana)
    undo_decision(workspace, dana)
    _, again = settled_disputes(workspace, "ann").disputes
    assert (again.own.pair_id, again.grade, again.adjudicated) == (1, 2, True)


def test_a_rater_who_is_left_out_makes_no_dispute(workspace: Workspace) -> None:
    grade(workspace, "ann", 1, 1)
    grade(workspace, "bob", 1, 3)
    go_on(workspace)
    with workspace.store.write() as connection:
        connection.exec_driver_sql("UPDATE people SET excluded_at = 'now' WHERE name = 'bob'")
    assert settled_disputes(workspace, "ann").disputes == []
    (own,) = settled_disputes(workspace, "bob").disputes
    assert (own.grade, own.n_grades) == (1, 1)


def may_change(workspace: Workspace, rater: str, pair_id: int) -> bool:
    """Whether a change is offered; whatever is tried otherwise must agree with it."""
    (judgment,) = (j for j in own_history(workspace, rater).judgments if j.now.pair_id == pair_id)
    if judgment.is_final:
        with pytest.raises(BuilderError, match="grade stays"):
            change_grade(workspace, rater, judgment.now, 0, "c", token=uuid4().hex)
        with pytest.raises(BuilderError, match="grade stays"):
            submit_grade(workspace, rater, pair_id, 0, token=uuid4().hex, edit=True)
        assert standing(workspace, rater, pair_id) == judgment.now
    assert is_final(workspace, rater, pair_id) is judgment.is_final
    return not judgment.is_final


def test_who_could_read_how_a_pair_was_settled_cannot_follow_it(workspace: Workspace) -> None:
    grade(workspace, "ann", 1, 1)
    go_on(workspace)
    assert may_change(workspace, "ann", 1)
    grade(workspace, "bob", 1, 3)
    assert not may_change(workspace, "ann", 1)
    assert may_change(workspace, "bob", 1)  # who said nothing since has read nothing
    change_grade(workspace, "bob", standing(workspace, "bob", 1), 2, "", token=uuid4().hex)
    go_on(workspace)
    assert not may_change(workspace, "bob", 1)


def test_a_pair_on_which_all_agree_can_be_changed(workspace: Workspace) -> None:
    grade(workspace, "ann", 1, 1)
    grade(workspace, "bob", 1, 1)
    go_on(workspace)
    assert may_change(workspace, "ann", 1)


def test_a_decision_ends_changing_though_it_was_taken_back(workspace: Workspace) -> None:
    dana = people.add_person(workspace, "dana", "analyst", None)
    grade(workspace, "ann", 1, 1)
    decide(workspace, dana, 1, 3, "need misread", token=ONCE)
    assert not may_change(workspace, "ann", 1)
    undo_decision(workspace, dana)
    assert not may_change(workspace, "ann", 1)
    grade(workspace, "bob", 1, 1)  # graded after it
    assert may_change(workspace, "bob", 1)


def test_a_grade_given_on_the_page_is_there(workspace: Workspace) -> None:
    submit_grade(workspace, "ann", 3, 2, token=ONCE, comment="c", guidelines_version=None)
    assert standing(workspace, "ann", 3).comment == "c"
