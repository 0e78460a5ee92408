"""A real Quepid book: 137 queries, 1,558 products, 2,420 pairs, 1,942 judgments of 13 raters."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from builder.export import export_judgments
from builder.importers import (
    import_book,
    import_corpus,
    import_folder,
    import_judgments,
    import_queries,
)
from builder.store.judgment_rows import JudgmentRow, standing_rows
from builder.store.pool import count_pairs
from builder.workspace import Workspace, init_workspace
from evals.qrels import read_qrels

pytestmark = pytest.mark.shared_data

GRADES = {0: 775, 1: 367, 2: 215, 3: 563, None: 22}


@pytest.fixture
def haystack(shared_data: Path) -> Path:
    return shared_data / "haystack-rating-party"


@pytest.fixture
def book(haystack: Path) -> Path:
    return haystack / "raw" / "haystack_rating_party_book.pseudonymised.json"


def standing(workspace: Workspace) -> list[JudgmentRow]:
    with workspace.store.read() as connection:
        return list(standing_rows(connection))


def assert_the_book(rows: list[JudgmentRow]) -> None:
    assert len(rows) == 1942
    assert Counter(row.grade for row in rows) == GRADES
    assert Counter(row.outcome for row in rows) == {"grade": 1920, "cannot_judge": 22}
    assert {row.kind for row in rows} == {"human"}
    assert len({row.rater for row in rows}) == 13


def test_the_whole_book_at_one_stroke(book: Path, tmp_path: Path) -> None:
    with init_workspace(tmp_path / "w") as workspace:
        tallies = import_book(workspace, book)
        read = {what: (tally.read, tally.accepted) for what, tally in tallies.items()}
        assert read == {
            "corpus": (1558, 1558),
            "queries": (137, 137),
            "pool": (2420, 2420),
            "judgments": (1942, 1942),
        }
        assert_the_book(standing(workspace))
        with workspace.store.read() as connection:
            assert count_pairs(connection) == 2420
        again = import_book(workspace, book)
        assert all(tally.duplicate == tally.read for tally in again.values())


def test_the_book_by_three_commands(book: Path, tmp_path: Path) -> None:
    with init_workspace(tmp_path / "w") as workspace:
        for bring_in in (import_corpus, import_queries, import_judgments):
            assert bring_in(workspace, book).quarantined == 0
        assert_the_book(standing(workspace))


def test_its_judgments_find_the_queries_of_the_task_folder(
    haystack: Path, book: Path, tmp_path: Path
) -> None:
    with init_workspace(tmp_path / "w") as workspace:
        import_folder(workspace, haystack / "task")
        tally = import_judgments(workspace, book)
        assert (tally.accepted, tally.quarantined) == (1942, 0)
        raters = [row for row in standing(workspace) if row.kind == "human"]
    assert_the_book(raters)
    assert {row.query_id[0] for row in raters} == {"q"}


def test_the_case_that_was_kept_beside_the_book(book: Path, tmp_path: Path) -> None:
    case = book.with_name(book.name.replace("book", "case"))
    with init_workspace(tmp_path / "w") as workspace:
        import_book(workspace, book)
        tally = import_judgments(workspace, case)
        # 57 of its documents are not in the book; the rest says what the book says.
        assert (tally.read, tally.reasons) == (1679, {"unknown_document": 57})


def without_times(rows: list[JudgmentRow]) -> list[JudgmentRow]:
    return [row._replace(moment=None, recorded=None) for row in rows]


@pytest.mark.parametrize(
    ("form", "how"),
    [
        ("tsv", {}),
        ("tsv", {"excel": True}),
        ("csv", {}),
        ("csv", {"excel": True}),
        ("jsonl", {}),
        ("jsonl", {"everything": True}),
        ("quepid-json", {}),
        ("label-studio", {}),
        ("quepid-csv", {}),
        ("trec", {}),
    ],
)
def test_a_round_trip_through_each_format(
    form: str, how: dict[str, Any], haystack: Path, book: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for name in ("from", "to"):
        with init_workspace(tmp_path / name) as workspace:
            import_corpus(workspace, haystack / "task" / "corpus.jsonl")
            import_queries(workspace, haystack / "task" / "queries.jsonl")
            if name == "from":
                import_judgments(workspace, book)
                told = export_judgments(workspace, out, form, **how)
                before = standing(workspace)
                continue
            tally = import_judgments(workspace, out)
            after = standing(workspace)
    assert tally.read == tally.accepted == told["written"]
    if form == "trec":
        assert {(r.query_id, r.doc_id): r.grade for r in after} == {
            (query_id, doc_id): grade
            for query_id, grades in read_qrels(out).qrels.items()
            for doc_id, grade in grades.items()
        }
        # The raters of this book never differ, so one grade a pair is the grade of each.
        grades = {(r.query_id, r.doc_id): r.grade for r in before if r.grade is not None}
        assert {(r.query_id, r.doc_id): r.grade for r in after} == grades
        return
    if form == "quepid-csv":
        before = [row for row in before if row.grade is not None]
        assert (len(before), told["left_out"]) == (1920, {"cannot_judge": 22})
    else:
        assert_the_book(after)
    assert without_times(after) == without_times(before)
