"""Mining in a real browser: a sample and its way back; a second look that tells nobody why."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from benchmarks.app_server import running_app
from builder.importers import import_corpus, import_queries
from builder.judging.queue import submit_grade
from builder.people import ensure_person
from builder.store.corpus_search import pair_id_of
from builder.store.pool import add_pairs
from builder.workspace import (
    DATABASE_FILE,
    Workspace,
    init_workspace,
    open_workspace,
)
from online.ingest import import_events
from tests.browser.grading import open_grading, press
from tests.workspaces import ask_raters

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

QUERY = "read a file"
RARE = ("sort a list", "join two strings", "parse a date")
GRADES = {"d0": 0, "d1": 2, "d2": 1}
"""Experts on the query; the log says otherwise of d0."""
TELLING = ("click", "weak", "once more", "second look", "expert", "COEC", "contradict")


def _searches() -> Iterator[dict[str, Any]]:
    """d0 stands last and is clicked in each of 40 sessions, the others in some."""
    for n in range(40):
        yield _search(QUERY.title() if n % 4 else QUERY, f"s{n}", ["d1", "d2", "d0"], ("d0", 3))
        yield _search(QUERY, f"t{n}", ["d1", "d2"], ("d1", 1) if n % 2 else None)
    for n, query in enumerate(RARE):
        yield _search(query, f"rare{n}", ["d1"], None)


def _search(
    query: str, session: str, shown: list[str], clicked: tuple[str, int] | None
) -> dict[str, Any]:
    doc_id, rank = clicked or (None, None)
    return {
        "timestamp": "2026-11-02T12:00:00Z",
        "query": query,
        "session_id": session,
        "model_version": "bm25",
        "retrieved_doc_ids": shown,
        "clicked_doc_id": doc_id,
        "click_rank": rank,
    }


@pytest.fixture(scope="module")
def mined(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A query that Ada graded, and a log; one grade of each pair is enough, Rita gave none."""
    root = tmp_path_factory.mktemp("mining") / "workspace"
    init_workspace(root, "mining").close()
    ask_raters(root, 1)
    with open_workspace(root) as workspace:
        _fill(workspace, root / "cache")
        yield workspace


def _fill(workspace: Workspace, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name in ("Dana", "Ada", "Rita"):
        ensure_person(workspace, name)
    documents = [{"_id": i, "title": f"Title {i}", "text": f"Text of {i}."} for i in GRADES]
    for name, rows in (
        ("corpus", documents),
        ("queries", [{"_id": "q0", "text": QUERY}]),
        ("events", _searches()),
    ):
        lines = "\n".join(map(json.dumps, rows))
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    import_corpus(workspace, folder / "corpus.jsonl")
    import_queries(workspace, folder / "queries.jsonl")
    events = folder / "events.jsonl"
    import_events(workspace.lake, events, quarantine_folder=workspace.quarantine_folder)
    with workspace.store.write() as connection:
        add_pairs(connection, [("q0", doc_id) for doc_id in GRADES], "test")
        pairs = {doc_id: pair_id_of(connection, "q0", doc_id) for doc_id in GRADES}
    for doc_id, grade in GRADES.items():
        submit_grade(workspace, "Ada", pairs[doc_id] or 0, grade, token=uuid4().hex)


@pytest.fixture(scope="module")
def mining_address(
    browser: "Browser",  # noqa: ARG001 - no server where there is no browser
    mined: Workspace,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    with running_app(mined.root, tmp_path_factory.mktemp("log") / "server.log") as url:
        yield url


@pytest.fixture
def rows_in(mined: Workspace) -> Callable[[str], list[tuple[Any, ...]]]:
    """What a query finds in the database."""

    def read(query: str) -> list[tuple[Any, ...]]:
        with sqlite3.connect(mined.root / DATABASE_FILE) as connection:
            return connection.execute(query).fetchall()

    return read


def test_a_sample_is_drawn_and_taken_back(
    page: "Page", mining_address: str, rows_in: Callable[[str], list[tuple[Any, ...]]]
) -> None:
    page.goto(f"{mining_address}/logs-to-queries?rater=Dana&method=Random")
    page.get_by_text("The 4 queries stand for 100.0").wait_for()
    page.get_by_role("button", name="Add 3 queries").click()
    page.get_by_text("3 queries are new.").wait_for()
    drawn = "SELECT text FROM queries WHERE source = 'log' ORDER BY text"
    assert rows_in(drawn) == [(text,) for text in sorted(RARE)]
    samples = rows_in("SELECT searches, sessions FROM query_samples ORDER BY searches DESC")
    # The query that was there is drawn too: 40 searches and 40 more in another spelling.
    assert samples == [(80, 80), (1, 1), (1, 1), (1, 1)]
    page.get_by_role("button", name="Take back").click()
    page.get_by_role("button", name="Take it back").click()
    page.get_by_text("Sample 1 is taken back. 3 queries are gone.").wait_for()
    assert rows_in(drawn) == []
    assert rows_in("SELECT query_id FROM queries") == [("q0",)]
    assert rows_in("SELECT taken_back_by FROM samplings") == [("Dana",)]


def test_a_contradiction_is_graded_again_by_somebody_who_is_told_nothing_of_it(
    page: "Page", mining_address: str, rows_in: Callable[[str], list[tuple[Any, ...]]]
) -> None:
    page.goto(f"{mining_address}/grade?rater=Rita")
    page.wait_for_selector(".gs-head")
    assert page.locator(".gs-pair").count() == 0
    page.goto(f"{mining_address}/clicks-experts?rater=Dana")
    first = page.locator(".gs-contradiction").first
    first.wait_for()
    assert "Title d0" in first.inner_text()
    assert "Experts 0" in first.inner_text()
    page.locator("[class*=st-key-contradiction_]").first.get_by_role("button").click()
    page.get_by_text("1 pair will be asked for once more.").wait_for()
    assert rows_in("SELECT grade, weak_grade, asked_by FROM rechecks") == [(0, 3, "Dana")]
    # Drawn, listened to, and looked at for a while: a key that comes sooner is swallowed.
    open_grading(page, mining_address, "Rita")
    shown = page.locator("section.main, [data-testid=stMain]").first.inner_text()
    assert "Title d0" in shown
    assert [word for word in TELLING if word.lower() in shown.lower()] == []
    press(page, "3")
    graded = (
        "SELECT name, judgments.grade FROM judgments JOIN people ON person_id = rater_id "
        "JOIN rechecks USING (pair_id) ORDER BY judgment_id"
    )
    assert rows_in(graded) == [("Ada", 0), ("Rita", 3)]
