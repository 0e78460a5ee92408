"""What is on one rater's screen is kept from others, for a while."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from builder.errors import BuilderError
from builder.judging.queue import (
    Undone,
    next_pair,
    next_query_id,
    progress_of,
    query_pairs,
    renew_leases,
    skip,
    undo_last,
)
from builder.people import ensure_person
from builder.store.documents import insert_documents
from builder.store.leases import held_leases
from builder.store.moments import utc_text
from builder.store.people import find_person
from builder.store.pool import add_pairs
from builder.workspace import Workspace
from evals.records import Document
from tests.builder.judging.conftest import (
    N_RANKS,
    ONCE,
    filled,
    grade,
    grade_all,
    grades_of,
    log_length,
    pair_for,
)

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def minutes(number: float) -> datetime:
    """So many minutes after noon."""
    return NOON + timedelta(minutes=number)


def on_screen(workspace: Workspace, rater: str, now: datetime = NOON) -> dict[int, str]:
    with workspace.store.read() as connection:
        person = find_person(connection, rater)
        assert person is not None
        return held_leases(connection, person.person_id, utc_text(now))


@pytest.fixture
def single(tmp_path: Path) -> Iterator[Workspace]:
    """One query with one document, of which two people are asked."""
    with filled(tmp_path / "single", n_queries=1, n_ranks=1) as made:
        yield made


def test_two_screens_take_both_places_of_a_pair(single: Workspace) -> None:
    assert next_pair(single, "ann", now=NOON) == next_pair(single, "bob", now=NOON) is not None
    assert next_pair(single, "cy", now=NOON) is None
    assert progress_of(single, "cy", now=NOON).left == 1  # others have it now


def test_whoever_has_gone_strands_nothing(single: Workspace) -> None:
    for rater in ("ann", "bob"):
        next_pair(single, rater, now=NOON)
    assert next_pair(single, "cy", now=minutes(14.9)) is None
    assert next_pair(single, "cy", now=minutes(15.1)) is not None


def test_a_late_answer_is_kept(single: Workspace) -> None:
    pairs = {rater: next_pair(single, rater, now=NOON) for rater in ("ann", "bob")}
    third = next_pair(single, "cy", now=minutes(16))
    for rater, pair in (*pairs.items(), ("cy", third)):
        assert pair is not None
        assert grade(single, rater, pair, now=minutes(17)).status == "saved"
    assert next_pair(single, "ann", now=minutes(40)) is None


def test_two_tabs_of_a_rater_show_the_same_pair(workspace: Workspace) -> None:
    first = next_pair(workspace, "ann", now=NOON)
    assert next_pair(workspace, "ann", now=minutes(1)) == first
    assert len(on_screen(workspace, "ann")) == 1


def test_a_reload_writes_nothing_while_two_thirds_are_left(workspace: Workspace) -> None:
    next_pair(workspace, "ann", now=NOON)
    (end,) = on_screen(workspace, "ann").values()
    next_pair(workspace, "ann", now=minutes(4))
    assert list(on_screen(workspace, "ann").values()) == [end]
    next_pair(workspace, "ann", now=minutes(6))
    assert list(on_screen(workspace, "ann").values()) == [utc_text(minutes(21))]


def test_a_rater_holds_one_pair(workspace: Workspace) -> None:
    for _ in range(3):
        pair = pair_for(workspace, "ann")
        grade(workspace, "ann", pair)
    last = pair_for(workspace, "ann")
    assert list(on_screen(workspace, "ann", datetime.now(UTC))) == [last.pair_id]


def test_a_skip_gives_the_pair_free(single: Workspace) -> None:
    pair = next_pair(single, "ann", now=NOON)
    assert pair is not None
    next_pair(single, "bob", now=NOON)
    skip(single, "ann", pair.pair_id, token=ONCE, now=NOON)
    assert next_pair(single, "cy", now=NOON) is not None
    assert next_pair(single, "ann", now=NOON) is None  # until one of them has gone
    assert next_pair(single, "ann", now=minutes(16)) is not None


def test_a_skipped_pair_that_came_round_stays_on_screen(workspace: Workspace) -> None:
    first = pair_for(workspace, "ann")
    skip(workspace, "ann", first.pair_id, token=ONCE)
    grade_one_by_one = [pair_for(workspace, "ann")]
    while grade_one_by_one[-1].pair_id != first.pair_id:
        grade(workspace, "ann", grade_one_by_one[-1])
        grade_one_by_one.append(pair_for(workspace, "ann"))
    assert grade_one_by_one[-1].own is not None
    assert pair_for(workspace, "ann") == grade_one_by_one[-1]


def test_an_undone_pair_is_kept_from_others_at_once(single: Workspace) -> None:
    pair = next_pair(single, "ann", now=NOON)
    assert pair is not None
    for rater in ("ann", "bob"):
        grade(single, rater, pair, now=NOON)
    assert undo_last(single, "ann", now=minutes(1)) == Undone("grade", pair, "q0")
    assert next_pair(single, "cy", now=minutes(2)) is None
    assert next_pair(single, "ann", now=minutes(2)) == pair


def test_an_undone_skip_whose_place_is_taken_comes_later(single: Workspace) -> None:
    pair = next_pair(single, "ann", now=NOON)
    assert pair is not None
    skip(single, "ann", pair.pair_id, token=ONCE, now=NOON)
    for rater in ("bob", "cy"):
        next_pair(single, rater, now=NOON)
    assert undo_last(single, "ann", now=NOON) == Undone("skip", None, "q0")
    assert next_pair(single, "ann", now=NOON) is None
    assert next_pair(single, "ann", now=minutes(16)) is not None


def test_leases_are_renewed_while_the_page_is_open(workspace: Workspace) -> None:
    next_pair(workspace, "ann", now=NOON)
    assert renew_leases(workspace, "ann", active_at=NOON, now=minutes(2)) == 1
    assert list(on_screen(workspace, "ann").values()) == [utc_text(minutes(15))]  # fresh enough
    for at in range(10, 60, 10):
        assert renew_leases(workspace, "ann", active_at=NOON, now=minutes(at)) == 1
    assert list(on_screen(workspace, "ann").values()) == [utc_text(minutes(65))]
    assert renew_leases(workspace, "ann", active_at=NOON, now=minutes(61)) == 1
    assert list(on_screen(workspace, "ann").values()) == [utc_text(minutes(65))]
    assert renew_leases(workspace, "ann", active_at=NOON, now=minutes(66)) == 0
    assert renew_leases(workspace, "ann", active_at=minutes(66), now=minutes(66)) == 0


def test_a_wanted_pair_is_shown_though_it_be_judged(workspace: Workspace) -> None:
    pair = pair_for(workspace, "ann")
    grade(workspace, "ann", pair, 3, comment="clear")
    grade(workspace, "bob", pair)
    pair_for(workspace, "ann")
    back = next_pair(workspace, "ann", wanted=pair.pair_id)
    assert back is not None
    assert (back.pair_id, back.query, back.document) == (pair.pair_id, pair.query, pair.document)
    assert back.own is not None
    assert (back.own.outcome, back.own.grade, back.own.comment) == ("grade", 3, "clear")
    assert pair.pair_id not in on_screen(workspace, "ann", datetime.now(UTC))
    assert grade(workspace, "ann", back, 1, edit=True).status == "saved"
    assert grades_of(workspace, "ann") == [1]


def test_a_wanted_pair_that_is_open_is_kept(workspace: Workspace) -> None:
    pair_for(workspace, "ann")
    with workspace.store.write() as connection:
        insert_documents(connection, [Document("found", "", "x")])
        add_pairs(connection, [("q3", "found")], "rater")
    wanted = N_RANKS * 4 + 1
    pair = next_pair(workspace, "ann", wanted=wanted)
    assert pair is not None
    assert (pair.document.doc_id, pair.own) == ("found", None)
    assert list(on_screen(workspace, "ann", datetime.now(UTC))) == [wanted]
    with pytest.raises(BuilderError, match="no pair 999"):
        next_pair(workspace, "ann", wanted=999)


# The list view.


def test_a_list_shows_what_is_open_or_judged_in_the_order_of_the_queue(
    workspace: Workspace,
) -> None:
    listed = query_pairs(workspace, "ann", "q0")
    assert [pair.left_in_query for pair in listed] == [N_RANKS] * N_RANKS
    order = []
    for _ in range(N_RANKS):
        pair = pair_for(workspace, "ann")
        order.append(pair.pair_id)
        grade(workspace, "ann", pair, 2)
    assert [pair.pair_id for pair in listed] == order
    after = query_pairs(workspace, "ann", "q0")
    assert [pair.pair_id for pair in after] == order
    assert [pair.own and pair.own.grade for pair in after] == [2] * N_RANKS
    assert {pair.left_in_query for pair in after} == {0}


def test_a_list_keeps_all_its_open_pairs_for_the_rater(workspace: Workspace) -> None:
    listed = query_pairs(workspace, "ann", "q1", NOON)
    assert set(on_screen(workspace, "ann")) == {pair.pair_id for pair in listed}
    query_pairs(workspace, "bob", "q1", NOON)
    assert query_pairs(workspace, "cy", "q1", NOON) == []
    assert len(query_pairs(workspace, "cy", "q1", minutes(16))) == N_RANKS
    with pytest.raises(BuilderError, match="no query q9"):
        query_pairs(workspace, "ann", "q9")


def test_a_pair_of_a_list_that_was_filled_meanwhile_stays_listed(workspace: Workspace) -> None:
    listed = query_pairs(workspace, "ann", "q0", NOON)
    for rater in ("bob", "cy"):  # late, from screens that have lost their leases
        grade(workspace, rater, listed[0], now=NOON)
    again = query_pairs(workspace, "ann", "q0", minutes(1))
    assert [pair.pair_id for pair in again] == [pair.pair_id for pair in listed]
    assert len(query_pairs(workspace, "ann", "q0", minutes(20))) == N_RANKS - 1


def test_an_unchanged_list_writes_nothing(workspace: Workspace) -> None:
    query_pairs(workspace, "ann", "q0", NOON)
    before = on_screen(workspace, "ann")
    query_pairs(workspace, "ann", "q0", minutes(1))
    assert on_screen(workspace, "ann") == before


def test_the_single_view_after_a_list_keeps_one_pair(workspace: Workspace) -> None:
    listed = query_pairs(workspace, "ann", "q2", NOON)
    assert next_pair(workspace, "ann", now=NOON) == listed[0]
    assert list(on_screen(workspace, "ann")) == [listed[0].pair_id]


def test_queries_follow_each_other_going_round(workspace: Workspace) -> None:
    assert next_query_id(workspace, "ann") == "q0"
    assert next_query_id(workspace, "ann", after="q0") == "q1"
    assert next_query_id(workspace, "ann", after="q3") == "q0"
    for pair in query_pairs(workspace, "ann", "q0"):
        grade(workspace, "ann", pair)
    assert next_query_id(workspace, "ann") == next_query_id(workspace, "ann", after="q3") == "q1"
    grade_all(workspace, "ann")
    assert next_query_id(workspace, "ann") is None
    with pytest.raises(BuilderError, match="no query q9"):
        next_query_id(workspace, "ann", after="q9")


def test_a_query_with_skipped_pairs_only_comes_last(workspace: Workspace) -> None:
    for number, pair in enumerate(query_pairs(workspace, "ann", "q0")):
        skip(workspace, "ann", pair.pair_id, token=f"s{number}")
    assert next_query_id(workspace, "ann") == "q1"
    for query_id in ("q1", "q2", "q3"):
        for pair in query_pairs(workspace, "ann", query_id):
            grade(workspace, "ann", pair)
    assert next_query_id(workspace, "ann", after="q3") == "q0"
    assert [pair.own and pair.own.outcome for pair in query_pairs(workspace, "ann", "q0")] == [
        "skip"
    ] * N_RANKS


def test_looking_is_not_judging(workspace: Workspace) -> None:
    ensure_person(workspace, "dan")
    for rater in ("ann", "bob", "cy", "dan"):
        pair_for(workspace, rater)
        query_pairs(workspace, rater, "q1")
    assert log_length(workspace) == 0
