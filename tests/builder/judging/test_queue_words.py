"""What cannot be judged, whole queries that cannot, priorities and tags."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.errors import BuilderError
from builder.judging.queue import (
    Filters,
    Outcome,
    Undone,
    cannot_judge,
    flag_query,
    next_pair,
    progress_of,
    query_pairs,
    skip,
    tags_with_pairs,
    undo_last,
)
from builder.people import ensure_person
from builder.store.documents import insert_documents
from builder.store.pool import add_pairs
from builder.store.queries import insert_queries
from builder.store.query_outcomes import settle_outcomes
from builder.store.quota import ask_again, set_query_priority, set_query_state
from builder.workspace import Workspace
from evals.records import Document, Query
from tests.builder.judging.conftest import (
    N_RANKS,
    ONCE,
    filled,
    grade,
    grade_all,
    key_of,
    log_length,
    pair_for,
)
from tests.workspaces import new_workspace


@pytest.fixture
def single(tmp_path: Path) -> Iterator[Workspace]:
    """One query with one document; four raters."""
    with filled(tmp_path / "single", n_queries=1, n_ranks=1) as made:
        ensure_person(made, "dan")
        yield made


def cannot(workspace: Workspace, rater: str) -> Outcome:
    pair = pair_for(workspace, rater)
    token = f"{rater} cannot"
    return cannot_judge(workspace, rater, pair.pair_id, "no chemist", token=token)


def test_the_next_rater_is_asked_where_one_cannot_judge(single: Workspace) -> None:
    assert cannot(single, "ann").status == "saved"
    assert next_pair(single, "ann") is None
    assert [len(grade_all(single, rater)) for rater in ("bob", "cy", "dan")] == [1, 1, 0]
    assert progress_of(single, "ann").cannot_judge == 1


def test_after_two_who_cannot_judge_an_analyst_decides(single: Workspace) -> None:
    for rater in ("ann", "bob"):
        cannot(single, rater)
    assert next_pair(single, "cy") is None
    assert progress_of(single, "cy").left == 0
    with single.store.write() as connection:
        ask_again(connection, 1)
    assert [len(grade_all(single, rater)) for rater in ("ann", "bob", "cy", "dan")] == [0, 0, 1, 1]


def test_a_pair_that_was_given_up_opens_when_one_takes_it_back(single: Workspace) -> None:
    for rater in ("ann", "bob"):
        cannot(single, rater)
    undone = undo_last(single, "bob")
    assert undone is not None
    assert (undone.what, undone.pair) == ("cannot_judge", next_pair(single, "bob"))
    assert next_pair(single, "cy") is not None


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501, "a\x00b"])
def test_a_reason_is_needed(workspace: Workspace, reason: str) -> None:
    with pytest.raises(BuilderError, match="reason"):
        cannot_judge(workspace, "ann", 1, reason, token=ONCE)
    with pytest.raises(BuilderError, match="reason"):
        flag_query(workspace, "ann", "q0", "unclear", reason, token=ONCE)
    assert log_length(workspace) == 0


def test_a_flagged_query_is_shown_to_this_rater_no_more(workspace: Workspace) -> None:
    flag_query(workspace, "ann", "q0", "unclear", "which region?", token=ONCE)
    assert pair_for(workspace, "ann").query.query_id == "q1"
    assert query_pairs(workspace, "ann", "q0") == []
    assert progress_of(workspace, "ann").left == 3 * N_RANKS
    assert {pair.query.query_id for pair in grade_all(workspace, "ann")} == {"q1", "q2", "q3"}
    assert pair_for(workspace, "bob").query.query_id == "q0"
    assert len(grade_all(workspace, "bob")) == 4 * N_RANKS


def test_what_others_skipped_in_a_flagged_query_does_not_come_back(workspace: Workspace) -> None:
    skip(workspace, "ann", pair_for(workspace, "ann").pair_id, token=ONCE)
    flag_query(workspace, "ann", "q0", "unclear", "why", token=ONCE)
    assert {pair.query.query_id for pair in grade_all(workspace, "ann")} == {"q1", "q2", "q3"}


def test_a_flag_gives_the_screen_free(single: Workspace) -> None:
    for rater in ("ann", "bob"):
        pair_for(single, rater)
    assert next_pair(single, "cy") is None
    flag_query(single, "ann", "q0", "out_of_scope", "another shop", token=ONCE)
    assert next_pair(single, "cy") is not None


def test_after_two_flags_a_query_is_set_aside_until_it_is_decided(workspace: Workspace) -> None:
    for rater in ("ann", "bob"):
        flag_query(workspace, rater, "q0", "unclear", "why", token=f"{rater} q0")
    assert len(grade_all(workspace, "cy")) == 3 * N_RANKS
    assert progress_of(workspace, "cy").left == 0
    with workspace.store.write() as connection:
        assert settle_outcomes(connection, key_of(connection, "q0")) == 2
    assert len(grade_all(workspace, "cy")) == N_RANKS
    assert pair_for(workspace, "ann").query.query_id == "q0"


def test_a_flag_is_undone_in_its_turn(workspace: Workspace) -> None:
    first = pair_for(workspace, "ann")
    grade(workspace, "ann", first)
    for rater in ("bob", "ann"):
        flag_query(workspace, rater, "q0", "out_of_scope", "why", token=f"{rater} q0")
    assert next_pair(workspace, "cy") is not None
    assert {pair.query.query_id for pair in grade_all(workspace, "cy")} == {"q1", "q2", "q3"}
    assert undo_last(workspace, "ann", token="undo") == Undone("out_of_scope", None, "q0")  # noqa: S106
    assert undo_last(workspace, "ann", token="undo") == Undone("out_of_scope", None, "q0")  # noqa: S106
    assert len(grade_all(workspace, "cy")) == N_RANKS
    assert pair_for(workspace, "ann").query.query_id == "q0"
    undone = undo_last(workspace, "ann")
    assert undone is not None
    assert (undone.what, undone.query_id) == ("grade", "q0")
    assert undo_last(workspace, "ann") is None


def test_the_same_flag_twice_is_one(workspace: Workspace) -> None:
    for _ in range(2):
        flag_query(workspace, "ann", "q0", "unclear", "why", token=ONCE)
    assert pair_for(workspace, "bob").query.query_id == "q0"
    undo_last(workspace, "ann")
    assert undo_last(workspace, "ann") is None
    with pytest.raises(BuilderError, match="no query q9"):
        flag_query(workspace, "ann", "q9", "unclear", "why", token="other")  # noqa: S106


def test_one_rater_who_changes_their_word_is_one(workspace: Workspace) -> None:
    flag_query(workspace, "ann", "q0", "unclear", "why", token="1")  # noqa: S106
    flag_query(workspace, "ann", "q0", "out_of_scope", "why", token="2")  # noqa: S106
    assert pair_for(workspace, "bob").query.query_id == "q0"


# Priorities.


def test_queries_that_matter_come_first_and_the_one_in_hand_before(workspace: Workspace) -> None:
    grade(workspace, "ann", pair_for(workspace, "ann"))
    with workspace.store.write() as connection:
        set_query_priority(connection, key_of(connection, "q2"), 2)
        set_query_priority(connection, key_of(connection, "q1"), 0)
    order = [pair.query.query_id for pair in grade_all(workspace, "ann")]
    assert order == ["q0"] * (N_RANKS - 1) + ["q2"] * N_RANKS + ["q3"] * N_RANKS + ["q1"] * N_RANKS


def test_new_pairs_have_the_priority_of_their_query(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        set_query_priority(connection, key_of(connection, "q3"), 2)
        insert_documents(connection, [Document("late", "", "x")])
    first = grade_all(workspace, "ann")
    assert {pair.query.query_id for pair in first[:N_RANKS]} == {"q3"}
    with workspace.store.write() as connection:
        add_pairs(connection, [("q1", "late"), ("q3", "late")], "rater")
    assert [pair.query.query_id for pair in grade_all(workspace, "ann")] == ["q3", "q1"]


def test_a_query_that_is_taken_back_is_offered_again(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        set_query_state(connection, key_of(connection, "q1"), status="retired")
    assert len(grade_all(workspace, "ann")) == 3 * N_RANKS
    with workspace.store.write() as connection:
        set_query_state(connection, key_of(connection, "q1"), status="active")
    assert {pair.query.query_id for pair in grade_all(workspace, "ann")} == {"q1"}


# Tags.

TAGS = [("short",), ("short", "a, b"), ('"quoted"',), (), ("Short",)]


@pytest.fixture
def tagged(tmp_path: Path) -> Iterator[Workspace]:
    made = new_workspace(tmp_path / "tagged", "shop")
    with made.store.write() as connection:
        insert_documents(connection, [Document(f"d{n}", "", "x") for n in range(3)])
        insert_queries(
            connection, [Query(f"q{n}", "text", "", tags) for n, tags in enumerate(TAGS)]
        )
        add_pairs(connection, [(f"q{q}", f"d{d}") for q in range(5) for d in range(3)], "bm25")
    for name in ("ann", "bob"):
        ensure_person(made, name)
    with made:
        yield made


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("short", {"q0", "q1"}),
        ("a, b", {"q1"}),
        ('"quoted"', {"q2"}),
        ("quoted", set()),
        ("Short", {"q4"}),
        ("%", set()),
        ("sho", set()),
        (None, {"q0", "q1", "q2", "q3", "q4"}),
    ],
)
def test_a_tag_leads_to_its_queries_only(
    tagged: Workspace, tag: str | None, expected: set[str]
) -> None:
    filters = Filters(tag)
    assert progress_of(tagged, "ann", filters).left == 3 * len(expected)
    seen = []
    while pair := next_pair(tagged, "ann", filters):
        seen.append(pair.query.query_id)
        grade(tagged, "ann", pair)
    assert len(seen) == 3 * len(expected)
    assert set(seen) == expected
    progress = progress_of(tagged, "ann", filters)
    assert (progress.graded, progress.left) == (len(seen), 0)
    assert progress_of(tagged, "ann").left == 15 - len(seen)


def test_another_tag_lets_go_of_the_pair_on_screen(tagged: Workspace) -> None:
    first = next_pair(tagged, "ann")
    assert first is not None
    assert first.query.query_id == "q0"
    other = next_pair(tagged, "ann", Filters('"quoted"'))
    assert other is not None
    assert other.query.query_id == "q2"
    skip(tagged, "ann", other.pair_id, token=ONCE)
    assert next_pair(tagged, "ann", Filters("a, b")) is not None


def test_skipped_pairs_come_back_within_their_tag(tagged: Workspace) -> None:
    for number in range(3):
        pair = next_pair(tagged, "ann", Filters("a, b"))
        assert pair is not None
        skip(tagged, "ann", pair.pair_id, token=f"s{number}")
    again = next_pair(tagged, "ann", Filters("a, b"))
    assert again is not None
    assert (again.query.query_id, again.own and again.own.outcome) == ("q1", "skip")
    assert next_pair(tagged, "bob", Filters("nothing")) is None


def test_tags_are_counted_in_queries(tagged: Workspace) -> None:
    assert tags_with_pairs(tagged) == [('"quoted"', 1), ("Short", 1), ("a, b", 1), ("short", 2)]
