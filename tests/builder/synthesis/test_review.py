"""Review: what is accepted enters the set, what is taken back leaves it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from sqlalchemy import func, select

from builder.curation import merge_queries, preview_merge
from builder.errors import BuilderError, NotAllowedError
from builder.judging.queue import next_pair, submit_grade
from builder.people import Person, add_person, ensure_person
from builder.pooling.corpus_search import add_by_rater
from builder.pooling.recording import record_pooling
from builder.pooling.taking_back import take_back_pooling
from builder.store import Connection
from builder.store.activity import entries
from builder.store.documents import insert_documents
from builder.store.grades import count_judgments
from builder.store.pool import pairs_outside
from builder.store.pool_contents import pooled_documents, pooled_queries
from builder.store.queries import get_query, insert_queries
from builder.store.query_lists import query_row_of
from builder.store.queue_counts import queries_with_pairs
from builder.store.quota import queue_changes
from builder.store.schema import current_judgments, documents, judgments, pairs, people, queries
from builder.store.staging import StagedJudgment, add_staged_pairs, open_staging, stage_judgments
from builder.store.synthetic_queries import Finding, Judged, find_candidate, note_judged
from builder.synthesis.review import (
    ReviewProgress,
    Wanted,
    accept,
    accept_all,
    latest_reviewed,
    look,
    reject,
    undo_review,
)
from builder.workspace import Workspace, init_workspace, open_workspace
from evals.records import Document, Query
from tests.builder.synthesis.written import Answer, ids_waiting, write_synthesis
from tests.workspaces import copied

FLAG = Finding("not_found", "rank 40 in bm25")
BAD = Finding("length", "1 word")


def _make(folder: Path) -> Workspace:
    """Three documents; six candidates of one run: one flagged, one rejected."""
    workspace = init_workspace(folder, "review")
    ensure_person(workspace, "Dana")
    with workspace.store.write() as connection:
        insert_documents(connection, [Document(f"d{n}", f"T{n}", f"text {n}") for n in range(3)])
        insert_queries(connection, [Query("q1", "known words")])
    answers = [Answer(f"d{n}", [f"what is {n}", f"how much is {n}"]) for n in range(3)]
    write_synthesis(workspace, answers, per_call=2, model="tiny/1")
    with workspace.store.write() as connection:
        judged = [Judged(n) for n in range(1, 7)]
        judged[3] = Judged(4, flags=(FLAG,))
        judged[5] = Judged(6, reasons=(BAD,))
        note_judged(connection, judged)
    return workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with copied(_make, tmp_path / "workspace") as opened:
        yield opened


@pytest.fixture
def dana(workspace: Workspace) -> Person:
    return ensure_person(workspace, "Dana")


class Held(NamedTuple):
    """The pair of a query and a document: what it wants, has, and what a model said of it."""

    quota: int
    open_slots: int
    human_grades: int
    synthetic: int | None


def held(workspace: Workspace, query_id: str, doc_id: str = "d0") -> Held:
    with workspace.store.read() as connection:
        row = connection.execute(
            select(pairs).join(queries).join(documents)
            .where(queries.c.query_id == query_id, documents.c.doc_id == doc_id)
        ).one()  # fmt: skip
        said = connection.execute(
            select(judgments.c.grade)
            .join(current_judgments, current_judgments.c.judgment_id == judgments.c.judgment_id)
            .join(people, people.c.person_id == judgments.c.rater_id)
            .where(judgments.c.pair_id == row.pair_id, people.c.kind == "synthetic")
        ).scalar_one_or_none()
    return Held(row.quota, row.open_slots, row.human_grades, said)


def pool(workspace: Workspace, *named: tuple[str, str, str, int | None]) -> int:
    with workspace.store.write() as connection:
        pooling_id = record_pooling(connection, named, {}, {}, "Dana").pooling_id
    assert pooling_id is not None
    return pooling_id


def logged(connection: Connection) -> int:
    return len(connection.execute(select(judgments.c.judgment_id)).all())


def test_an_accepted_candidate_is_query_pair_and_grade(workspace: Workspace, dana: Person) -> None:
    query_id = accept(workspace, 1, actor=dana)
    assert query_id.startswith("syn-")
    assert set(query_id[4:]) <= set("0123456789abcdef")
    assert len(query_id) == 14
    assert held(workspace, query_id) == (0, 0, 0, 2)
    with workspace.store.read() as connection:
        query = get_query(connection, query_id)
        rater = connection.execute(select(people).where(people.c.kind == "synthetic")).one()
        (note,) = entries(connection, limit=1)
    assert query == Query(query_id, "what is 0", source="synthetic")
    assert (rater.name, rater.role) == ("synthetic: tiny/1", "rater")
    assert (note.actor, note.action, note.subject) == ("Dana", "synthetic.accept", query_id)
    assert note.details["edited"] is False


def test_a_repeated_press_changes_nothing(workspace: Workspace, dana: Person) -> None:
    query_id = accept(workspace, 1, "what is zero", dana)
    with workspace.store.read() as connection:
        before = logged(connection), len(entries(connection, limit=99))
    for text in (None, "what is zero"):
        assert accept(workspace, 1, text, dana) == query_id
    reject(workspace, 2, dana)
    reject(workspace, 2, dana)
    with workspace.store.read() as connection:
        assert (logged(connection), len(entries(connection, limit=99))) == (
            before[0],
            before[1] + 1,
        )


def test_what_was_edited_is_kept_beside_what_was_written(workspace: Workspace) -> None:
    query_id = accept(workspace, 1, "  what is \u202e zero ")
    with workspace.store.read() as connection:
        query, candidate = get_query(connection, query_id), find_candidate(connection, 1)
    assert query is not None
    assert candidate is not None
    assert query.text == "what is \u202e zero"
    assert (candidate.text, candidate.edited_text) == ("what is 0", query.text)


def test_another_word_about_the_same_candidate_is_refused(
    workspace: Workspace, dana: Person
) -> None:
    accept(workspace, 1, actor=dana)
    reject(workspace, 2)
    for change in (
        lambda: reject(workspace, 1),
        lambda: accept(workspace, 1, "another"),
        lambda: accept(workspace, 2),
    ):
        with pytest.raises(BuilderError, match="already"):
            change()
    with pytest.raises(BuilderError, match="no candidate 77"):
        reject(workspace, 77)
    with pytest.raises(BuilderError, match=r"syn-.* says the same already"):
        accept(workspace, 2 + 1, " WHAT is  0")
    with pytest.raises(BuilderError):
        accept(workspace, 3, "  ")


def test_only_an_analyst_reviews(workspace: Workspace) -> None:
    rater = add_person(workspace, "Rita", "rater", None)
    for change in (
        lambda: accept(workspace, 1, actor=rater),
        lambda: reject(workspace, 1, rater),
        lambda: undo_review(workspace, 1, rater),
        lambda: accept_all(workspace, actor=rater),
    ):
        with pytest.raises(NotAllowedError):
            change()
    assert look(workspace).progress == ReviewProgress(5, 0, 0, 4)


def test_what_was_undone_waits_again_and_keeps_its_id(workspace: Workspace, dana: Person) -> None:
    query_id = accept(workspace, 1, "what is zero", dana)
    undo_review(workspace, 1, dana)
    undo_review(workspace, 1, dana)
    assert held(workspace, query_id) == (0, 0, 0, None)
    with workspace.store.read() as connection:
        row = query_row_of(connection, query_id)
    assert row is not None
    assert row.status == "retired"
    assert ids_waiting(workspace) == [1, 2, 3, 4, 5]
    assert accept(workspace, 1) == query_id
    with workspace.store.read() as connection:
        row = query_row_of(connection, query_id)
    assert row is not None
    assert (row.status, row.text) == ("active", "what is 0")
    assert held(workspace, query_id) == (0, 0, 0, 2)
    undo_review(workspace, 5, dana)  # nobody has reviewed it


def test_what_somebody_judged_is_not_undone(workspace: Workspace, dana: Person) -> None:
    query_id = accept(workspace, 1)
    pool(workspace, (query_id, "d0", "validation", None), (query_id, "d1", "validation", 1))
    for _ in range(2):
        pair = next_pair(workspace, "Dana")
        assert pair is not None
        submit_grade(workspace, "Dana", pair.pair_id, 1, token=uuid4().hex)
    with pytest.raises(BuilderError, match="Somebody has judged it"):
        undo_review(workspace, 1, dana)
    # Once retired by hand, its review stands, too.
    assert held(workspace, query_id)[2:] == (1, 2)
    keep = preview_merge(workspace, "q1", query_id)
    merge_queries(workspace, "q1", query_id, dana, preview=keep)
    with pytest.raises(BuilderError, match="retired or merged"):
        undo_review(workspace, 1, dana)
    assert held(workspace, "q1")[2:] == (1, 2)
    assert held(workspace, query_id)[2:] == (0, None)


def test_the_pair_is_asked_of_people_once_another_source_names_it(workspace: Workspace) -> None:
    query_id = accept(workspace, 1)
    assert next_pair(workspace, "Dana") is None
    with workspace.store.read() as connection:
        assert pooled_queries(connection) == set()
        assert pooled_documents(connection, [query_id], asked_only=True) == {}
        assert pairs_outside(connection, [(query_id, "d0")]) == [(query_id, "d0")]
        assert queries_with_pairs(connection) == []
    pooling_id = pool(workspace, (query_id, "d0", "validation", None))
    assert held(workspace, query_id) == (2, 2, 0, 2)
    pair = next_pair(workspace, "Dana")
    assert pair is not None
    assert pair.query.query_id == query_id
    with workspace.store.read() as connection:
        assert len(queries_with_pairs(connection)) == 1
    take_back_pooling(workspace, pooling_id)
    assert held(workspace, query_id) == (0, 0, 0, 2)
    assert next_pair(workspace, "Dana") is None


def test_a_rater_who_finds_the_document_opens_the_pair(workspace: Workspace) -> None:
    query_id = accept(workspace, 1)
    with workspace.store.read() as connection:
        before = queue_changes(connection)
    pair_id = add_by_rater(workspace, "Dana", query_id, "d0")
    assert held(workspace, query_id) == (2, 2, 0, 2)
    assert add_by_rater(workspace, "Dana", query_id, "d0") == pair_id
    with workspace.store.read() as connection:
        assert connection.execute(select(func.count()).select_from(pairs)).scalar_one() == 1
        assert queue_changes(connection) > before


def test_counts_take_it_for_neither_complete_nor_waiting(workspace: Workspace) -> None:
    query_id = accept(workspace, 1)
    with workspace.store.read() as connection:
        counts, row = count_judgments(connection, 1), query_row_of(connection, query_id)
    assert (counts.grades, counts.judged_pairs, counts.complete_pairs) == (1, 0, 0)
    assert (counts.unasked_pairs, counts.waiting_of(1)) == (1, 0)
    assert row is not None
    assert row.attention == "not_asked"
    pool(workspace, (query_id, "d0", "bm25", 1))
    with workspace.store.read() as connection:
        counts, row = count_judgments(connection, 1), query_row_of(connection, query_id)
    assert (counts.unasked_pairs, counts.waiting_of(1)) == (0, 1)
    assert row is not None
    assert row.attention == "open"


@pytest.mark.parametrize(("kind", "quota"), [(None, 2), ("human", 2), ("synthetic", 0)])
def test_an_import_names_what_it_judges(workspace: Workspace, kind: str | None, quota: int) -> None:
    query_id = accept(workspace, 1)
    told: dict[str, Any] = {"rater": "ann", "outcome": "grade", "grade": 3, "comment": ""}
    row = StagedJudgment("f", 1, query_id, "d0", **told, judged_at=None, raw="", kind=kind)
    with workspace.store.write() as connection:
        open_staging(connection)
        stage_judgments(connection, [row])
        add_staged_pairs(connection)
    assert held(workspace, query_id).quota == quota


def test_all_unflagged_that_remain_are_accepted(workspace: Workspace, dana: Person) -> None:
    reject(workspace, 1, dana)
    with workspace.store.write() as connection:
        insert_queries(connection, [Query("q2", "How much is 0")])
    became = accept_all(workspace, only_unflagged=True, actor=dana)
    assert became == {"accepted": 2, "same_text": 1, "unfit": 0, "flagged": 1}
    assert look(workspace).progress == ReviewProgress(5, 2, 1, 1)
    assert ids_waiting(workspace) == [2, 4]
    assert accept_all(workspace, 1, actor=dana)["accepted"] == 1
    last = latest_reviewed(workspace, dana)
    assert last is not None
    assert last.candidate_id == 4
    with pytest.raises(BuilderError, match="no synthesis 9"):
        accept_all(workspace, 9)


def test_what_filters_rejected_can_be_rescued(workspace: Workspace) -> None:
    sight = look(workspace, Wanted(verdict="rejected"))
    assert sight.candidate is not None
    assert (sight.candidate.candidate_id, sight.progress.total) == (6, 1)
    assert held(workspace, accept(workspace, 6), "d2").synthetic == 2


def test_what_is_put_off_comes_last_and_what_was_undone_first(workspace: Workspace) -> None:
    def shown(*later: int, first: int | None = None, flagged: bool | None = None) -> int | None:
        sight = look(workspace, Wanted(flagged=flagged), later, first)
        return sight.candidate.candidate_id if sight.candidate else None

    assert shown() == 1
    assert shown(1, 2) == 3
    assert shown(3, 2, 1, 5, 4) == 3
    assert shown(1, first=4) == 4
    assert shown(flagged=True) == 4
    reject(workspace, 4)
    assert shown(first=4) == 1
    assert shown(flagged=True) is None


def test_the_same_request_in_two_runs_brings_two_queries(workspace: Workspace) -> None:
    write_synthesis(workspace, [Answer("d0", ["a", "what else is 0"])], per_call=2)
    with pytest.raises(BuilderError, match="No filter has seen"):
        accept(workspace, 8)
    with workspace.store.write() as connection:
        note_judged(connection, [Judged(8)])
    first, second = accept(workspace, 2), accept(workspace, 8)
    assert first != second
    assert held(workspace, second) == (0, 0, 0, 2)


def test_a_model_called_as_a_person_is_not_that_person(workspace: Workspace) -> None:
    ensure_person(workspace, "synthetic: tiny/1")
    query_id = accept(workspace, 1)
    assert held(workspace, query_id) == (0, 0, 0, 2)


def test_workspace_opens_anew(workspace: Workspace) -> None:
    query_id = accept(workspace, 1)
    with open_workspace(workspace.root) as again:
        assert held(again, query_id) == (0, 0, 0, 2)
