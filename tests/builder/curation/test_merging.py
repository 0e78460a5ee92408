"""Merging: no grade is lost, none counts twice, the log stays as it was, and all of it is told."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.curation import (
    QueryContent,
    add_query,
    edit_query,
    find_query,
    merge_queries,
    preview_merge,
    query_history,
    restore_query,
    retire_query,
)
from builder.curation.merging import MergePreview
from builder.errors import BuilderError
from builder.export.selection import Selection, select_judged
from builder.judging.adjudication import decide
from builder.judging.queue import next_pair, submit_grade, undo_last
from builder.people import Person
from builder.store.adjudications import all_decisions
from builder.store.documents import insert_documents
from builder.store.grades import RawJudgment, raw_judgments
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.moments import utc_text
from builder.store.people import add_person
from builder.store.pool import add_pairs
from builder.store.queries import insert_queries
from builder.store.query_edits import Standing, documents_of, standing_of_query
from builder.store.schema import pairs
from builder.workspace import Workspace, init_workspace
from evals.records import Document, Query
from tests.builder.curation.conftest import doubt, grades_now, key_of, pair_id_of, say
from tests.builder.store.test_judgment_properties import (
    current_as_kept,
    current_by_the_log,
    human_grades_by_the_log,
)
from tests.thorough import examples

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def merge(
    workspace: Workspace, keep: str, merged: str, actor: Person | None = None
) -> MergePreview:
    preview = preview_merge(workspace, keep, merged)
    return merge_queries(workspace, keep, merged, actor, preview=preview)


def test_what_was_decided_goes_along_where_nothing_is_decided_yet(
    workspace: Workspace, ana: Person
) -> None:
    for query_id, doc_id, grade in (("q0", "d0", 3), ("q1", "d0", 0), ("q1", "d1", 2)):
        pair_id = pair_id_of(workspace, query_id, doc_id)
        decide(workspace, ana, pair_id, grade, "need misread", token=uuid4().hex)
    merge(workspace, "q0", "q1", ana)
    with workspace.store.read() as connection:
        found = [(d.query_id, d.doc_id, d.grade, d.reason) for d in all_decisions(connection)]
    assert found == [
        ("q0", "d0", 3, "need misread"),
        ("q0", "d1", 2, "need misread"),
        ("q1", "d0", 0, "need misread"),
    ]
    (entry,) = [e for e in query_history(workspace, "q1") if e.action == "query.merge"]
    assert entry.details["decisions"] == 1


def log_of(workspace: Workspace) -> list[RawJudgment]:
    with workspace.store.read() as connection:
        return list(raw_judgments(connection))


def test_pairs_and_grades_join_the_query_that_stays(workspace: Workspace, ana: Person) -> None:
    add_query(workspace, QueryContent("query  ZERO"), ana, query_id="zero")
    with workspace.store.write() as connection:
        insert_documents(connection, [Document("only", "o", "x")])
        add_pairs(connection, [("zero", "d0"), ("zero", "only")], "bm25", [1, 2])
    say(workspace, "bob", "zero", "only", grade=3, comment="good", now=NOON)
    say(workspace, "cy", "zero", "d0", grade=1, now=NOON)
    done = merge(workspace, "q0", "zero", ana)
    assert (done.pairs, done.new_pairs, done.grades, done.standing) == (2, 1, 2, 2)
    assert [(g.query_id, g.doc_id, g.rater, g.grade, g.comment) for g in grades_now(workspace)] == [
        ("q0", "d0", "cy", 1, ""),
        ("q0", "only", "bob", 3, "good"),
    ]
    assert {g.judged_at for g in grades_now(workspace)} == {utc_text(NOON)}
    kept, merged = find_query(workspace, "q0"), find_query(workspace, "zero")
    assert (kept.counts.pairs, kept.counts.grades) == (6, 2)
    assert (merged.query.status, merged.counts.pairs, merged.counts.grades) == ("retired", 2, 0)


def test_a_merge_is_told_in_both_histories(workspace: Workspace, ana: Person) -> None:
    say(workspace, "bob", "q0", "d0", grade=0, now=NOON)
    say(workspace, "bob", "q1", "d0", grade=3, now=NOON + timedelta(hours=1))
    merge(workspace, "q0", "q1", ana)
    (out,), (took,) = query_history(workspace, "q1"), query_history(workspace, "q0")
    assert (out.actor, out.action, out.details["into"]) == ("ann", "query.merge", "q0")
    assert (took.actor, took.action, took.details["from"]) == ("ann", "query.absorb", "q1")
    assert took.details["conflicts"] == [
        {"rater": "bob", "doc_id": "d0", "kept": 0, "merged": 3, "stands": 3}
    ]


@pytest.mark.parametrize(("hours", "stands"), [(1, 3), (-1, 0)])
def test_of_two_grades_of_one_rater_the_later_stands_and_is_reported(
    workspace: Workspace, hours: int, stands: int
) -> None:
    say(workspace, "bob", "q0", "d0", grade=0, now=NOON)
    say(workspace, "bob", "q1", "d0", grade=3, now=NOON + timedelta(hours=hours))
    preview = preview_merge(workspace, "q0", "q1")
    (conflict,) = preview.conflicts
    assert (conflict.kept, conflict.merged, conflict.stands) == (0, 3, stands)
    assert merge(workspace, "q0", "q1") == preview
    assert [(g.query_id, g.grade) for g in grades_now(workspace)] == [("q0", stands)]


def test_a_grade_says_more_than_a_later_skip_or_undo(workspace: Workspace) -> None:
    later = NOON + timedelta(days=1)
    for doc, outcome in (("d0", "skip"), ("d1", "undone"), ("d2", "cannot_judge")):
        say(workspace, "bob", "q1", doc, grade=2, now=NOON)
        say(workspace, "bob", "q0", doc, outcome=outcome, now=later)
    say(workspace, "bob", "q1", "d3", outcome="skip")
    say(workspace, "bob", "q1", "d4", outcome="cannot_judge", reason="Chemie")
    done = merge(workspace, "q0", "q1")
    assert (done.standing, done.cannot_judge, done.left) == (3, 1, 1)
    assert [(g.query_id, g.doc_id) for g in grades_now(workspace)] == [
        ("q0", "d0"),
        ("q0", "d1"),
        ("q0", "d2"),
    ]


def test_a_preview_writes_nothing(workspace: Workspace) -> None:
    say(workspace, "bob", "q1", "d0", grade=3)
    before = find_query(workspace, "q1")
    preview_merge(workspace, "q0", "q1")
    assert find_query(workspace, "q1") == before
    assert len(log_of(workspace)) == 1


def test_what_cannot_be_merged(workspace: Workspace) -> None:
    with pytest.raises(BuilderError, match="into itself"):
        preview_merge(workspace, "q0", "q0")
    with pytest.raises(BuilderError, match="no query nobody"):
        preview_merge(workspace, "q0", "nobody")
    retire_query(workspace, "q0", None)
    with pytest.raises(BuilderError, match="q0 is retired"):
        preview_merge(workspace, "q0", "q1")


def test_what_was_not_shown_is_not_merged(workspace: Workspace) -> None:
    preview = preview_merge(workspace, "q0", "q1")
    edit_query(workspace, "q1", QueryContent("query 1", "a need", ("t",)), QueryContent("x"), None)
    with pytest.raises(BuilderError, match="q1 was changed meanwhile"):
        merge_queries(workspace, "q0", "q1", None, preview=preview)
    preview = preview_merge(workspace, "q0", "q1")
    say(workspace, "bob", "q0", "d0", grade=0)
    say(workspace, "bob", "q1", "d0", grade=3)
    with pytest.raises(BuilderError, match="grades of one rater came in"):
        merge_queries(workspace, "q0", "q1", None, preview=preview)
    assert find_query(workspace, "q1").query.status == "active"


def test_another_merge_than_the_one_shown_is_refused(workspace: Workspace) -> None:
    preview = preview_merge(workspace, "q0", "q1")
    with pytest.raises(BuilderError, match="Nothing was merged"):
        merge_queries(workspace, "q1", "q0", None, preview=preview)


def test_a_grade_that_comes_late_is_merged_by_merging_again(workspace: Workspace) -> None:
    pair = next_pair(workspace, "bob")
    assert pair is not None
    merged = pair.query.query_id
    keep = "q3" if merged != "q3" else "q2"
    assert preview_merge(workspace, keep, merged).screens == 1
    merge(workspace, keep, merged)
    submit_grade(workspace, "bob", pair.pair_id, 2, token=uuid4().hex)
    assert find_query(workspace, merged).counts.grades == 1
    assert merge(workspace, keep, merged).standing == 1
    assert [(g.query_id, g.grade) for g in grades_now(workspace)] == [(keep, 2)]


def test_undo_takes_back_a_press_and_no_copy(workspace: Workspace) -> None:
    pressed = pair_id_of(workspace, "q2", "d0")
    submit_grade(workspace, "bob", pair_id_of(workspace, "q1", "d0"), 1, token=uuid4().hex)
    submit_grade(workspace, "bob", pressed, 2, token=uuid4().hex)
    merge(workspace, "q0", "q1")
    undone = undo_last(workspace, "bob")
    assert undone is not None
    assert undone.query_id == "q2"
    assert [(g.query_id, g.grade) for g in grades_now(workspace)] == [("q0", 1)]


def test_a_release_counts_each_rater_once(workspace: Workspace) -> None:
    for rater in ("bob", "cy"):
        say(workspace, rater, "q0", "d0", grade=1)
        say(workspace, rater, "q1", "d0", grade=3)
    merge(workspace, "q0", "q1")
    with workspace.store.read() as connection:
        selected = select_judged(connection, Selection())
    assert selected.qrels["q0"] == {"d0": 3}
    assert "q1" not in selected.qrels


def test_a_restored_query_starts_without_grades_and_can_be_merged_again(
    workspace: Workspace,
) -> None:
    say(workspace, "bob", "q1", "d0", grade=1)
    doubt(workspace, "cy", "q1")
    merge(workspace, "q0", "q1")
    restore_query(workspace, "q1", None)
    assert find_query(workspace, "q1").counts.grades == 0
    say(workspace, "bob", "q1", "d0", grade=2)
    assert merge(workspace, "q0", "q1").conflicts != ()
    assert [(g.query_id, g.grade) for g in grades_now(workspace)] == [("q0", 2)]


_said = st.tuples(
    st.sampled_from(["keep", "merged"]),
    st.sampled_from(["d0", "d1", "d2"]),
    st.sampled_from(["bob", "cy", "old.tsv"]),
    st.sampled_from([("grade", 0), ("grade", 3), ("skip", None), ("cannot_judge", None)])
    | st.just(("undone", None)),
    st.none() | st.integers(-3, 3),
)
_NUMBERS = count()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace of three documents, to which each example adds two queries of its own."""
    with init_workspace(tmp_path_factory.mktemp("merging") / "workspace", "shop") as opened:
        with opened.store.write() as connection:
            insert_documents(connection, [Document(f"d{n}", "", "x") for n in range(3)])
            for name, kind in (("bob", "human"), ("cy", "human"), ("old.tsv", "import")):
                add_person(connection, name, kind=kind)
        yield opened


Said = tuple[str, str, str, tuple[str, int | None], int | None]
Key = tuple[str, int]


def write_log(workspace: Workspace, keep: str, merged: str, log: list[Said]) -> None:
    names = {"keep": keep, "merged": merged}
    with workspace.store.write() as connection:
        insert_queries(connection, [Query(keep, "text"), Query(merged, "text")])
        add_pairs(connection, [(keep, "d0"), (merged, "d0"), (merged, "d1")], "bm25", [1, 1, 2])
        for side, doc_id, rater, (outcome, grade), hours in log:
            moment = None if hours is None else utc_text(NOON + timedelta(hours=hours))
            person_id = add_person(connection, rater).person_id
            row = ImportedJudgment(names[side], doc_id, person_id, outcome, grade, judged_at=moment)
            import_judgments_batch(connection, [row])


def standing(workspace: Workspace, query_id: str) -> dict[Key, Standing]:
    with workspace.store.read() as connection:
        rows = standing_of_query(connection, key_of(connection, query_id))
    return {(row.doc_id, row.rater_id): row for row in rows}


def expected(own: Standing | None, theirs: Standing | None) -> tuple[str, int | None]:
    """What stands after the merge, said once more and in other words."""
    said = [row for row in (own, theirs) if row is not None]
    if grades := [row for row in said if row.outcome == "grade"]:
        latest = max(grades, key=lambda row: (row.moment, row is theirs))
        return "grade", latest.grade
    if any(row.outcome == "cannot_judge" for row in said):
        return "cannot_judge", None
    return ("none", None) if own is None else (own.outcome, None)


def outcome_of(row: Standing | None) -> tuple[str, int | None]:
    return ("none", None) if row is None else (row.outcome, row.grade)


@given(log=st.lists(_said, max_size=14))
@settings(max_examples=examples(40, 200), deadline=None)
def test_no_rater_loses_a_grade_and_none_counts_twice(shared: Workspace, log: list[Said]) -> None:
    number = next(_NUMBERS)
    keep, merged = f"keep{number}", f"merged{number}"
    write_log(shared, keep, merged, log)
    own, theirs = standing(shared, keep), standing(shared, merged)
    before, preview = log_of(shared), preview_merge(shared, keep, merged)
    assert merge_queries(shared, keep, merged, None, preview=preview) == preview
    after = standing(shared, keep)
    for key in own.keys() | theirs.keys():
        assert outcome_of(after.get(key)) == expected(own.get(key), theirs.get(key))
    check_counts(preview, own, theirs, after)
    assert [row for row in standing(shared, merged).values() if row.outcome == "grade"] == []
    assert log_of(shared)[: len(before)] == before
    check_store(shared, keep, merged)
    again = merge(shared, keep, merged)
    assert (again.grades, again.cannot_judge, again.new_pairs) == (0, 0, 0)


def check_counts(
    preview: MergePreview,
    own: dict[Key, Standing],
    theirs: dict[Key, Standing],
    after: dict[Key, Standing],
) -> None:
    def graded(rows: dict[Key, Standing]) -> dict[Key, int | None]:
        return {key: row.grade for key, row in rows.items() if row.outcome == "grade"}

    mine, others = graded(own), graded(theirs)
    both = mine.keys() & others.keys()
    assert graded(after).keys() == mine.keys() | others.keys()
    assert preview.grades == len(others)
    assert preview.repeated == sum(mine[key] == others[key] for key in both)
    assert len(preview.conflicts) == len(both) - preview.repeated
    kept = sum(after[key].moment == own[key].moment for key in both if own[key] == after[key])
    assert preview.standing == len(others) - kept


def check_store(workspace: Workspace, keep: str, merged: str) -> None:
    with workspace.store.read() as connection:
        assert current_as_kept(connection) == current_by_the_log(connection)
        grades: dict[int, Any] = {
            row.pair_id: row.human_grades for row in connection.execute(pairs.select())
        }
        assert grades == human_grades_by_the_log(connection)
        kept, gone = (documents_of(connection, key_of(connection, q)) for q in (keep, merged))
        assert kept.keys() >= gone.keys()
