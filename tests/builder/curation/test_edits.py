"""What is added, changed and retired; who may; what is recorded; nothing overwritten unseen."""

from collections.abc import Callable
from threading import Barrier, Thread

import pytest

from builder.curation import (
    GradedTextError,
    QueryChangedError,
    QueryContent,
    add_query,
    ask_again,
    dismiss_outcomes,
    edit_query,
    find_query,
    merge_queries,
    preview_merge,
    propose_query_id,
    query_history,
    restore_query,
    retire_query,
    set_priority,
)
from builder.errors import BuilderError, NotAllowedError
from builder.judging.queue import next_pair
from builder.people import Person
from builder.store.queries import get_query
from builder.workspace import Workspace
from evals.records import Query
from tests.builder.curation.conftest import doubt, give_up, say

Q0 = QueryContent("query 0", "a need", ("t",))


def content(workspace: Workspace, query_id: str) -> QueryContent:
    query = find_query(workspace, query_id).query
    return QueryContent(query.text, query.need, query.tags)


def test_a_query_is_added(workspace: Workspace, ana: Person) -> None:
    said = QueryContent(" read file ", "line by line ", ("files", "files", " io "))
    assert propose_query_id(workspace) == "manual-1"
    added = add_query(workspace, said, ana)
    assert added == Query("manual-1", "read file", "line by line", ("files", "io"), "manual")
    with workspace.store.read() as connection:
        assert get_query(connection, "manual-1") == added
    (entry,) = query_history(workspace, "manual-1")
    assert (entry.actor, entry.action, entry.details["after"]["text"]) == (
        "ann",
        "query.add",
        "read file",
    )
    assert propose_query_id(workspace) == "manual-2"


@pytest.mark.parametrize(
    ("said", "query_id", "told"),
    [
        (QueryContent("  "), None, "no text"),
        (QueryContent("a\0b"), None, r"U\+0000"),
        (QueryContent("x"), "q0", "query q0 already"),
        (QueryContent("x"), "a\tb", "cannot|no qrels"),
        (QueryContent("QUERY  0", "A need"), None, "q0 has this text and need"),
        (QueryContent("x" * 2001), None, "at most 2,000"),
    ],
)
def test_what_cannot_be_added(
    workspace: Workspace, said: QueryContent, query_id: str | None, told: str
) -> None:
    with pytest.raises(BuilderError, match=told):
        add_query(workspace, said, None, query_id=query_id)
    assert propose_query_id(workspace) == "manual-1"


def test_the_same_text_with_another_need_is_another_query(workspace: Workspace) -> None:
    assert add_query(workspace, QueryContent("query 0", "other"), None).query_id == "manual-1"


def test_an_edit_is_recorded_with_before_and_after(workspace: Workspace, ana: Person) -> None:
    after = QueryContent("read file", "a need", ("t", "u"))
    edited = edit_query(workspace, "q0", Q0, after, ana)
    assert (edited.changed, edited.grades) == (("text", "tags"), 0)
    assert content(workspace, "q0") == after
    (entry,) = query_history(workspace, "q0")
    assert entry.actor == "ann"
    assert entry.details == {
        "before": {"text": "query 0", "tags": ["t"]},
        "after": {"text": "read file", "tags": ["t", "u"]},
    }


def test_the_second_editor_is_told_and_nothing_is_overwritten(
    workspace: Workspace, ana: Person
) -> None:
    first = QueryContent("first", "a need", ("t",))
    edit_query(workspace, "q0", Q0, first, ana)
    with pytest.raises(QueryChangedError, match="changed meanwhile by ann") as raised:
        edit_query(workspace, "q0", Q0, QueryContent("second"), None)
    assert raised.value.now == first
    assert content(workspace, "q0") == first
    # The same edit twice, as by a double press, is no conflict.
    assert edit_query(workspace, "q0", Q0, first, ana).changed == ()
    assert len(query_history(workspace, "q0")) == 1


def test_two_editors_at_once_one_wins(workspace: Workspace) -> None:
    start, outcomes = Barrier(2), []

    def edit(text: str) -> None:
        start.wait()
        try:
            edit_query(workspace, "q0", Q0, QueryContent(text), None)
            outcomes.append(text)
        except QueryChangedError:
            outcomes.append("told")

    threads = [Thread(target=edit, args=(text,)) for text in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "told" in outcomes
    (won,) = set(outcomes) - {"told"}
    assert content(workspace, "q0").text == won


def test_a_graded_text_is_changed_only_knowingly(workspace: Workspace) -> None:
    say(workspace, "bob", "q0", "d0", grade=1)
    say(workspace, "cy", "q0", "d0", grade=2)
    after = QueryContent("read file", "a need", ("t",))
    with pytest.raises(GradedTextError, match="2 grades were made") as raised:
        edit_query(workspace, "q0", Q0, after, None)
    assert raised.value.grades == 2
    assert content(workspace, "q0") == Q0
    assert edit_query(workspace, "q0", Q0, after, None, despite_grades=True).grades == 2
    assert query_history(workspace, "q0")[0].details["grades_before"] == 2


def test_tags_of_a_graded_query_are_changed_without_ado(workspace: Workspace) -> None:
    say(workspace, "bob", "q0", "d0", grade=1)
    edited = edit_query(workspace, "q0", Q0, QueryContent("query 0 ", "a need", ("u",)), None)
    assert (edited.changed, edited.grades) == (("tags",), 0)


def test_line_ends_of_a_form_are_no_edit(workspace: Workspace) -> None:
    stored = QueryContent("query 0", "one\r\ntwo", ())
    edit_query(workspace, "q0", Q0, stored, None)
    form = QueryContent("query 0", "one\ntwo", ())
    assert edit_query(workspace, "q0", stored, form, None).changed == ()


def test_a_retired_query_is_asked_of_nobody_until_it_is_back(
    workspace: Workspace, ana: Person
) -> None:
    for query_id in ("q1", "q2", "q3"):
        retire_query(workspace, query_id, ana)
    assert retire_query(workspace, "q0", ana, reason="out of date")
    assert next_pair(workspace, "bob") is None
    assert not retire_query(workspace, "q0", ana)
    assert restore_query(workspace, "q0", ana)
    pair = next_pair(workspace, "bob")
    assert pair is not None
    assert pair.query.query_id == "q0"
    back, out = query_history(workspace, "q0")
    assert (back.action, out.action) == ("query.restore", "query.retire")
    assert out.details == {
        "before": {"status": "active"},
        "after": {"status": "retired"},
        "reason": "out of date",
    }


def test_a_priority_is_what_raters_come_to_first(workspace: Workspace, ana: Person) -> None:
    assert set_priority(workspace, "q2", 2, ana)
    assert not set_priority(workspace, "q2", 2, ana)
    retire_query(workspace, "q1", ana)  # cy would begin there, whatever comes first elsewhere
    pair = next_pair(workspace, "cy")
    assert pair is not None
    assert pair.query.query_id == "q2"
    (entry,) = query_history(workspace, "q2")
    assert entry.details == {"before": {"priority": 1}, "after": {"priority": 2}}
    with pytest.raises(BuilderError, match="0, 1 or 2"):
        set_priority(workspace, "q2", 3, ana)


CHANGES: dict[str, Callable[[Workspace, Person], object]] = {
    "add": lambda workspace, actor: add_query(workspace, QueryContent("x"), actor),
    "edit": lambda workspace, actor: edit_query(workspace, "q0", Q0, QueryContent("x"), actor),
    "retire": lambda workspace, actor: retire_query(workspace, "q0", actor),
    "restore": lambda workspace, actor: restore_query(workspace, "q0", actor),
    "priority": lambda workspace, actor: set_priority(workspace, "q0", 2, actor),
    "dismiss": lambda workspace, actor: dismiss_outcomes(workspace, "q0", actor),
    "ask": lambda workspace, actor: ask_again(workspace, 1, actor),
    "merge": lambda workspace, actor: merge_queries(
        workspace, "q0", "q1", actor, preview=preview_merge(workspace, "q0", "q1")
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_rater_changes_nothing(workspace: Workspace, bob: Person, change: str) -> None:
    doubt(workspace, "cy", "q0")
    give_up(workspace, "q0", "d0", "bob", "cy")
    before = find_query(workspace, "q0")
    with pytest.raises(NotAllowedError, match="takes the role analyst"):
        CHANGES[change](workspace, bob)
    assert find_query(workspace, "q0") == before
    assert query_history(workspace, "q0") == []
