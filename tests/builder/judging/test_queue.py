"""Which pair a rater sees next, after grades, skips and undone grades, and how far they are."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from builder.judging.queue import (
    Pair,
    Undone,
    next_pair,
    progress_of,
    skip,
    undo_last,
)
from builder.people import ensure_person
from builder.store.documents import insert_documents
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.people import add_person
from builder.store.pool import add_pairs
from builder.store.quota import set_query_state
from builder.workspace import Workspace, init_workspace
from evals.records import Document
from tests.builder.judging.conftest import (
    N_QUERIES,
    N_RANKS,
    ONCE,
    filled,
    grade,
    grade_all,
    grades_of,
    key_of,
    pair_for,
)


def test_a_rater_sees_every_pair_once_query_by_query(workspace: Workspace) -> None:
    seen = grade_all(workspace, "ann")
    assert len({pair.pair_id for pair in seen}) == len(seen) == N_QUERIES * N_RANKS
    order = [pair.query.query_id for pair in seen]
    assert order == [f"q{n}" for n in range(N_QUERIES) for _ in range(N_RANKS)]
    assert [pair.left_in_query for pair in seen[:N_RANKS]] == [5, 4, 3, 2, 1]
    assert [pair.query_position for pair in seen[::N_RANKS]] == [1, 2, 3, 4]
    assert {pair.n_queries for pair in seen} == {N_QUERIES}


def test_no_more_raters_grade_a_pair_than_the_workspace_asks_for(workspace: Workspace) -> None:
    assert len(grade_all(workspace, "ann")) == len(grade_all(workspace, "bob")) == 20
    assert next_pair(workspace, "cy") is None
    assert next_pair(workspace, "ann") is None


def test_raters_overlap_early(workspace: Workspace) -> None:
    # Two raters a pair: the first two start at one query, the third elsewhere.
    starts = [pair_for(workspace, rater).query.query_id for rater in ("ann", "bob", "cy")]
    assert starts[0] == starts[1]
    assert starts[2] != starts[0]


def test_grades_from_a_file_fill_no_quota(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        file = add_person(connection, "old.tsv", kind="import")
        rows = [
            ImportedJudgment(f"q{query}", f"d{rank}", file.person_id, "grade", 3)
            for query in range(N_QUERIES)
            for rank in range(N_RANKS)
        ]
        import_judgments_batch(connection, rows)
    assert len(grade_all(workspace, "ann")) == 20


def test_a_pair_says_nothing_that_could_sway(workspace: Workspace) -> None:
    grade_all(workspace, "bob")
    pair = pair_for(workspace, "ann")
    assert pair.query.source == ""
    assert set(Pair.__dataclass_fields__) == {
        "pair_id",
        "query",
        "document",
        "query_position",
        "n_queries",
        "left_in_query",
        "own",
    }


def test_the_order_is_stable_and_not_that_of_the_ranks(tmp_path: Path) -> None:
    with filled(tmp_path / "w", n_queries=1, n_ranks=50) as workspace:
        orders = {}
        for rater in ("ann", "bob"):
            first = [pair_for(workspace, rater).pair_id for _ in range(2)]
            assert first[0] == first[1]
            orders[rater] = [pair.pair_id for pair in grade_all(workspace, rater)]
    ranks = sorted(orders["ann"])
    assert orders["ann"] != ranks
    assert orders["ann"] != orders["bob"]
    # Early pairs are no better than late ones: the mean rank of either half is near the middle.
    half = [ranks.index(pair_id) for pair_id in orders["ann"][:25]]
    assert 15 < sum(half) / len(half) < 34


def test_an_undone_pair_comes_first(workspace: Workspace) -> None:
    first, second = pair_for(workspace, "ann"), None
    grade(workspace, "ann", first)
    second = pair_for(workspace, "ann")
    grade(workspace, "ann", second)
    undone = undo_last(workspace, "ann")
    assert undone is not None
    assert undone.pair == next_pair(workspace, "ann") == second
    grade(workspace, "ann", second, 0)
    assert sorted(grades_of(workspace, "ann"), key=str) == [0, 1]


def test_undo_goes_back_over_the_border_of_a_query(workspace: Workspace) -> None:
    seen = []
    for _ in range(N_RANKS + 1):
        seen.append(pair_for(workspace, "ann"))
        grade(workspace, "ann", seen[-1])
    undone = [undo_last(workspace, "ann") for _ in range(2)]
    assert [one and one.pair and one.pair.pair_id for one in undone] == [
        seen[-1].pair_id,
        seen[-2].pair_id,
    ]
    again = [pair_for(workspace, "ann")]
    grade(workspace, "ann", again[0])
    again.append(pair_for(workspace, "ann"))
    assert [pair.pair_id for pair in again] == [seen[-2].pair_id, seen[-1].pair_id]


def test_nothing_to_undo(workspace: Workspace) -> None:
    assert undo_last(workspace, "ann") is None
    grade(workspace, "bob", pair_for(workspace, "bob"))
    assert undo_last(workspace, "ann") is None


def test_a_pair_is_kept_for_whoever_took_it_back(workspace: Workspace) -> None:
    pair = pair_for(workspace, "ann")
    for rater in ("ann", "bob"):
        grade(workspace, rater, pair)
    undone = undo_last(workspace, "ann")
    assert undone is not None
    assert undone.pair == pair_for(workspace, "ann") == pair
    assert pair.pair_id not in {seen.pair_id for seen in grade_all(workspace, "cy")}
    assert grade(workspace, "ann", pair).status == "saved"


def test_a_pair_that_others_completed_meanwhile_is_not_asked_for_again(
    workspace: Workspace,
) -> None:
    pair = pair_for(workspace, "ann")
    for rater in ("ann", "bob", "cy"):  # the last one late
        grade(workspace, rater, pair)
    undone = undo_last(workspace, "ann")
    assert undone == Undone("grade", None, pair.query.query_id)
    assert pair_for(workspace, "ann").pair_id != pair.pair_id
    assert grade(workspace, "ann", pair).status == "saved"  # late answers are kept


def test_a_skipped_pair_comes_last_and_fills_no_quota(workspace: Workspace) -> None:
    skipped = pair_for(workspace, "ann")
    assert skip(workspace, "ann", skipped.pair_id, token=ONCE).status == "saved"
    seen = []
    while (pair := pair_for(workspace, "ann")).pair_id != skipped.pair_id:
        seen.append(pair)
        grade(workspace, "ann", pair)
    assert len(seen) == 19
    assert grade(workspace, "ann", pair).status == "saved"
    assert next_pair(workspace, "ann") is None
    assert len(grade_all(workspace, "bob")) == 20


def test_skipped_pairs_come_round(workspace: Workspace) -> None:
    order = []
    for number in range(45):
        pair = pair_for(workspace, "ann")
        order.append(pair.pair_id)
        skip(workspace, "ann", pair.pair_id, token=f"s{number}")
    assert order[:20] == order[20:40]


def test_undo_takes_a_skip_back(workspace: Workspace) -> None:
    pair = pair_for(workspace, "ann")
    skip(workspace, "ann", pair.pair_id, token=ONCE)
    undone = undo_last(workspace, "ann")
    assert undone is not None
    assert undone.pair == pair
    assert next_pair(workspace, "ann") == pair


def test_retired_queries_are_not_shown(workspace: Workspace) -> None:
    grade(workspace, "ann", pair_for(workspace, "ann"))
    undo_last(workspace, "ann")
    with workspace.store.write() as connection:
        for query_id in ("q0", "q2"):
            set_query_state(connection, key_of(connection, query_id), status="retired")
    assert progress_of(workspace, "bob").left == 10
    seen = grade_all(workspace, "ann")
    assert {pair.query.query_id for pair in seen} == {"q1", "q3"}
    assert {pair.n_queries for pair in seen} == {2}
    assert [pair.query_position for pair in seen[::N_RANKS]] == [1, 2]


def test_pairs_that_join_later_are_offered(workspace: Workspace) -> None:
    grade_all(workspace, "ann")
    with workspace.store.write() as connection:
        insert_documents(connection, [Document("new", "", "x")])
        add_pairs(connection, [("q1", "new")], "rater")
    assert progress_of(workspace, "ann").left == 1
    assert pair_for(workspace, "ann").document.doc_id == "new"


def test_an_empty_workspace_has_nothing(tmp_path: Path) -> None:
    with init_workspace(tmp_path / "w", "empty") as workspace:
        ensure_person(workspace, "ann")
        assert next_pair(workspace, "ann") is None
        progress = progress_of(workspace, "ann")
        assert (progress.graded, progress.left, progress.total, progress.sitting) == (0, 0, 0, 0)
        assert progress.seconds_a_pair is None


def test_progress(workspace: Workspace) -> None:
    now = datetime.now(UTC)
    moments = [now - timedelta(hours=5), *(now - timedelta(seconds=s) for s in (90, 60, 30))]
    for number, moment in enumerate(moments):
        grade(workspace, "ann", pair_for(workspace, "ann"), token=f"t{number}", now=moment)
    skip(workspace, "ann", pair_for(workspace, "ann").pair_id, token=ONCE, now=now)
    progress = progress_of(workspace, "ann", now=now)
    assert (progress.graded, progress.skipped, progress.left, progress.total) == (4, 1, 16, 20)
    assert progress.sitting == 3
    assert progress.seconds_a_pair == pytest.approx(30)
    assert progress_of(workspace, "ann", now=now + timedelta(hours=1)).sitting == 0


def test_progress_follows_undo_at_once(workspace: Workspace) -> None:
    for _ in range(3):
        grade(workspace, "ann", pair_for(workspace, "ann"))
    assert progress_of(workspace, "ann").left == 17
    undo_last(workspace, "ann")
    progress = progress_of(workspace, "ann")
    assert (progress.graded, progress.left, progress.sitting) == (2, 18, 2)


def test_an_import_takes_no_query_out_of_hand(workspace: Workspace) -> None:
    grade(workspace, "ann", pair_for(workspace, "ann"))
    with workspace.store.write() as connection:
        ann = add_person(connection, "ann")
        import_judgments_batch(
            connection, [ImportedJudgment("q2", "d1", ann.person_id, "grade", 3)]
        )
    assert {pair.query.query_id for pair in grade_all(workspace, "ann")[: N_RANKS - 1]} == {"q0"}
