"""What waits for an analyst, and what becomes of it."""

import pytest

from builder.curation import (
    QueryContent,
    ask_again,
    dismiss_outcomes,
    edit_query,
    find_query,
    query_history,
    retire_query,
    waiting,
)
from builder.errors import BuilderError
from builder.judging.queue import next_pair
from builder.people import Person
from builder.workspace import Workspace
from tests.builder.curation.conftest import doubt, give_up


def test_nothing_waits_at_first(workspace: Workspace) -> None:
    found = waiting(workspace)
    assert (found.queries, found.pairs, found.n_queries, found.n_pairs) == ((), (), 0, 0)


def test_doubted_queries_with_who_and_why_set_aside_first(workspace: Workspace) -> None:
    doubt(workspace, "bob", "q1")
    doubt(workspace, "cy", "q1", "of what?")
    doubt(workspace, "bob", "q2")
    first, second = waiting(workspace).queries
    assert (first.listed.query.query_id, first.listed.query.set_aside) == ("q1", True)
    assert [(word.rater, word.outcome, word.reason) for word in first.words] == [
        ("bob", "unclear", "which file?"),
        ("cy", "unclear", "of what?"),
    ]
    assert (second.listed.query.query_id, second.listed.query.set_aside) == ("q2", False)
    assert waiting(workspace).n_queries == 2


def test_pairs_that_nobody_could_judge_with_reasons(workspace: Workspace) -> None:
    give_up(workspace, "q0", "d1", "bob")
    pair_id = give_up(workspace, "q0", "d0", "bob", "cy")
    (stuck,) = waiting(workspace).pairs
    assert (stuck.pair.pair_id, stuck.pair.query_id, stuck.pair.doc_id) == (pair_id, "q0", "d0")
    assert (stuck.pair.title, stuck.pair.grades, stuck.pair.quota) == ("t0", 0, 2)
    assert [(word.rater, word.reason) for word in stuck.words] == [
        ("bob", "bob knows no Chemie"),
        ("cy", "cy knows no Chemie"),
    ]
    assert waiting(workspace).n_pairs == 1


def test_a_retired_query_waits_no_more(workspace: Workspace) -> None:
    doubt(workspace, "bob", "q1")
    give_up(workspace, "q1", "d0", "bob", "cy")
    retire_query(workspace, "q1", None)
    found = waiting(workspace)
    assert (found.queries, found.pairs, found.n_queries, found.n_pairs) == ((), (), 0, 0)


def test_words_are_dismissed_and_raters_asked_again(workspace: Workspace, ana: Person) -> None:
    doubt(workspace, "bob", "q1")
    doubt(workspace, "cy", "q1")
    seen = {word.said_id for word in waiting(workspace).queries[0].words}
    assert dismiss_outcomes(workspace, "q1", ana, seen=seen) == 2
    assert waiting(workspace).queries == ()
    assert not find_query(workspace, "q1").query.set_aside
    for query_id in ("q0", "q2", "q3"):
        retire_query(workspace, query_id, ana)
    pair = next_pair(workspace, "bob")
    assert pair is not None
    assert pair.query.query_id == "q1"
    (entry,) = query_history(workspace, "q1")
    assert entry.action == "query.ask_again"
    assert [said["rater"] for said in entry.details["dismissed"]] == ["bob", "cy"]
    assert dismiss_outcomes(workspace, "q1", ana) == 0
    assert len(query_history(workspace, "q1")) == 1


def test_words_that_nobody_read_are_not_dismissed(workspace: Workspace, ana: Person) -> None:
    doubt(workspace, "bob", "q1")
    seen = {word.said_id for word in waiting(workspace).queries[0].words}
    doubt(workspace, "cy", "q1", "another reason")
    with pytest.raises(BuilderError, match="said more of the query q1"):
        dismiss_outcomes(workspace, "q1", ana, seen=seen)
    assert len(waiting(workspace).queries[0].words) == 2


def test_an_edit_may_ask_raters_again(workspace: Workspace, ana: Person) -> None:
    doubt(workspace, "bob", "q1")
    before = QueryContent("query 1", "a need", ("t",))
    after = QueryContent("query 1", "a clear need", ("t",))
    edited = edit_query(workspace, "q1", before, after, ana, ask_raters_again=True)
    assert (edited.changed, edited.dismissed) == (("need",), 1)
    assert waiting(workspace).queries == ()
    assert query_history(workspace, "q1")[0].details["dismissed"] == 1


def test_two_more_raters_are_asked_for_a_pair_once(workspace: Workspace, ana: Person) -> None:
    pair_id = give_up(workspace, "q0", "d0", "bob", "cy")
    assert ask_again(workspace, pair_id, ana)
    assert not ask_again(workspace, pair_id, ana)
    assert waiting(workspace).pairs == ()
    (entry,) = query_history(workspace, "q0")
    assert (entry.action, entry.details["doc_id"]) == ("query.ask_more", "d0")
    with pytest.raises(BuilderError, match="no pair 999"):
        ask_again(workspace, 999, ana)
