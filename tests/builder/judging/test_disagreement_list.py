"""The list of disagreements: filtered, paged, with who said what, and as a file for Excel."""

import csv
import io
from pathlib import Path
from uuid import uuid4

import pytest

from builder.curation import retire_query
from builder.errors import NotAllowedError
from builder.judging.adjudication import decide
from builder.judging.agreement.disagreements import disagreements
from builder.judging.disagreement_file import disagreements_csv, disagreements_job
from builder.judging.disagreement_list import (
    PAGE,
    Wanted,
    all_disagreements,
    list_page,
)
from builder.judging.outcomes import skip
from builder.judging.queue import submit_grade
from builder.people import add_person
from builder.people.excluding import exclude_rater
from builder.store.documents import insert_documents
from builder.store.pool import add_pairs
from builder.store.queries import insert_queries
from builder.store.ratings_reading import read_ratings
from builder.workspace import Workspace
from evals.records import Document, Query

FORMULA = "=HYPERLINK(1)"


def give(workspace: Workspace, pair_id: int, comment: str = "", **grades: int) -> None:
    for rater, grade in grades.items():
        submit_grade(
            workspace, rater, pair_id, grade, token=uuid4().hex, comment=comment, edit=True
        )


def report_of(workspace: Workspace) -> dict[str, list[dict[str, int]]]:
    with workspace.store.read() as connection:
        found = disagreements(read_ratings(connection))
    columns = zip(found.pair, found.low, found.high, found.n, strict=True)
    names = ("pair_id", "low", "high", "n")
    return {"disagreements": [dict(zip(names, map(int, row), strict=True)) for row in columns]}


@pytest.fixture
def differing(workspace: Workspace) -> Workspace:
    """Pair 1 differs by three, 2 by one across the line, 3 by one beneath it, 4 not at all."""
    give(workspace, 1, FORMULA, ann=0)
    give(workspace, 1, bob=3)
    give(workspace, 2, ann=1, bob=2)
    give(workspace, 3, ann=0, bob=1)
    give(workspace, 4, ann=1, bob=1)
    return workspace


def test_each_pair_comes_with_who_said_what_when(differing: Workspace) -> None:
    skip(differing, "cy", 1, token=uuid4().hex)
    page = list_page(differing, report_of(differing))
    assert [(row.pair.pair_id, row.low, row.high, row.disputed) for row in page.rows] == [
        (1, 0, 3, True),
        (2, 1, 2, True),
        (3, 0, 1, False),
    ]
    first = page.rows[0].pair
    assert (first.query, first.title, first.tags) == ("query 0", "t0", ("t",))
    assert [(given.rater, given.grade, given.comment) for given in first.grades] == [
        ("ann", 0, FORMULA),
        ("bob", 3, ""),
    ]
    assert all(given.moment.startswith("20") and not given.excluded for given in first.grades)


def test_filters(differing: Workspace) -> None:
    report = report_of(differing)
    with differing.store.write() as connection:
        insert_documents(connection, [Document("other", "o", "x")])
        insert_queries(connection, [Query("q9", "query 9", "", ('a "tag"', "t2"), "log")])
        add_pairs(connection, [("q9", "other")], "bm25")
    give(differing, 21, ann=2, bob=3)
    report = report_of(differing)
    assert list_page(differing, report, Wanted(tag="t2")).total == 1
    assert list_page(differing, report, Wanted(tag='a "tag"')).total == 1
    assert list_page(differing, report, Wanted(tag="t")).total == 3
    assert list_page(differing, report, Wanted(tag="nobody's")).total == 0
    assert list_page(differing, report, Wanted(tag="t", disputed_only=True)).total == 2
    assert list_page(differing, report, Wanted(disputed_only=True)).total == 2


def test_what_was_decided_stands_beside(differing: Workspace) -> None:
    dana = add_person(differing, "dana", "analyst", None)
    decide(differing, dana, 1, 2, "need misread", token=uuid4().hex)
    first = list_page(differing, report_of(differing)).rows[0]
    assert first.decision is not None
    assert (first.decision.grade, first.decision.adjudicator) == (2, "dana")
    assert first.as_json()["decided"] == 2


def test_pages(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        insert_documents(connection, [Document(f"n{n}", "", "x") for n in range(10)])
        add_pairs(connection, [("q0", f"n{n}") for n in range(10)], "bm25")
    for pair_id in range(1, 31):
        give(workspace, pair_id, ann=0, bob=1)
    report = report_of(workspace)
    first, second = list_page(workspace, report), list_page(workspace, report, page=2)
    assert (first.pages, first.total, len(first.rows), len(second.rows)) == (2, 30, PAGE, 5)
    assert list_page(workspace, report, page=99).page == 2
    assert list_page(workspace, report, page=0).page == 1
    ids = [row.pair.pair_id for row in (*first.rows, *second.rows)]
    assert ids == [row.pair.pair_id for row in all_disagreements(workspace, report)]
    assert len(set(ids)) == 30


def test_a_file_has_a_row_a_grade_and_runs_no_formula(differing: Workspace) -> None:
    text = disagreements_csv(differing, None, report_of(differing), Wanted()).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["query-id"], row["corpus-id"], row["rater"], row["grade"]) for row in rows] == [
        ("q0", "d0", "ann", "0"),
        ("q0", "d0", "bob", "3"),
        ("q0", "d1", "ann", "1"),
        ("q0", "d1", "bob", "2"),
        ("q0", "d2", "ann", "0"),
        ("q0", "d2", "bob", "1"),
    ]
    assert rows[0]["comment"] == f"'{FORMULA}"
    assert [row["disputed"] for row in rows] == ["yes"] * 4 + ["no"] * 2


def test_a_job_writes_the_same_file(differing: Workspace) -> None:
    heard: list[str] = []
    parameters = {"tag": None, "disputed_only": True}
    old = disagreements_job(differing, parameters, lambda what, *_: heard.append(what))
    told = disagreements_job(differing, parameters, lambda *_: None)
    assert (told["pairs"], told["disputed_only"]) == (2, True)
    assert "writing the disagreements" in heard
    report = report_of(differing)
    wanted = Wanted(disputed_only=True)
    at_once = disagreements_csv(differing, None, report, wanted)
    assert Path(told["file"]).read_bytes() == at_once
    assert not Path(old["file"]).exists()


def test_a_file_is_for_analysts(differing: Workspace) -> None:
    rater = add_person(differing, "rae", "rater", None)
    with pytest.raises(NotAllowedError):
        disagreements_csv(differing, rater, report_of(differing), Wanted())


def test_a_raters_pairs_come_farthest_from_the_others_first(differing: Workspace) -> None:
    give(differing, 2, cy=3)
    give(differing, 4, cy=3)
    give(differing, 5, cy=0)
    page = list_page(differing, report_of(differing), Wanted(rater="cy"))
    found = [(row.pair.pair_id, row.apart) for row in page.rows]
    assert [pair_id for pair_id, _ in found] == [4, 2]
    assert [(apart.own, apart.others) for _, apart in found if apart] == [(3, 1.0), (3, 1.5)]
    assert list_page(differing, report_of(differing), Wanted(rater="nobody")).total == 0
    ann = list_page(differing, report_of(differing), Wanted(rater="ann", disputed_only=True))
    assert [row.pair.pair_id for row in ann.rows] == [1, 2, 4]
    assert list_page(differing, report_of(differing)).rows[0].apart is None


def test_one_who_is_left_out_is_still_looked_at_and_sways_nobody(differing: Workspace) -> None:
    give(differing, 4, cy=3)
    exclude_rater(differing, "cy", "guessed", None)
    report = report_of(differing)
    (row,) = list_page(differing, report, Wanted(rater="cy")).rows
    assert (row.pair.pair_id, row.low, row.high, row.disputed) == (4, 1, 1, False)
    assert 4 not in [row.pair.pair_id for row in list_page(differing, report).rows]
    assert 4 not in [
        row.pair.pair_id for row in list_page(differing, report, Wanted(rater="ann")).rows
    ]


def test_a_file_of_one_rater_holds_that_raters_pairs(differing: Workspace) -> None:
    give(differing, 4, cy=3)
    told = disagreements_job(differing, {"rater": "cy"}, lambda *_: None)
    assert (told["pairs"], told["rater"]) == (1, "cy")


def test_a_query_retired_since_the_report_has_no_disputes(differing: Workspace) -> None:
    report = report_of(differing)
    assert [row.disputed for row in list_page(differing, report).rows] == [True, True, False]
    retire_query(differing, "q0", None)
    assert not any(row.disputed for row in list_page(differing, report).rows)
