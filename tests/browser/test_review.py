"""Generated queries are reviewed by real keys, and the database holds what they say."""

import sqlite3
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlencode

import pytest

from benchmarks.app_server import running_app
from builder.people import ensure_person
from builder.store.documents import insert_documents
from builder.store.synthetic_queries import Finding, Judged, note_judged
from builder.workspace import DATABASE_FILE, Workspace, init_workspace
from evals.records import Document
from tests.browser.conftest import HOSTILE, PATIENCE_MS
from tests.browser.grading import DRAWN, HONEST_PAUSE_MS, last_said, press
from tests.builder.synthesis.written import Answer, write_synthesis

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ARABIC = "ما هو السجل؟"
TEXTS = ["how are logs kept", f"kept {HOSTILE}", ARABIC, "what is a log", "logs logs"]
Rows: TypeAlias = Callable[[], list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Five candidates of one hostile document, the fourth flagged."""
    root = tmp_path_factory.mktemp("review") / "workspace"
    with init_workspace(root, "review") as workspace:
        ensure_person(workspace, "Dana")
        with workspace.store.write() as connection:
            document = Document("d1", f"Title {HOSTILE}", f"Logs are kept. {ARABIC} {HOSTILE}")
            insert_documents(connection, [document])
        write_synthesis(workspace, [Answer("d1", [words]) for words in TEXTS], model="tiny")
        flag = Finding("not_found", HOSTILE)
        with workspace.store.write() as connection:
            judged = [Judged(n, flags=(flag,) * (n == 4)) for n in range(1, 6)]
            note_judged(connection, judged)
        yield workspace


@pytest.fixture(scope="module")
def site(
    browser: "Browser",  # noqa: ARG001 - no server where there is no browser
    generated: Workspace,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    with running_app(generated.root, tmp_path_factory.mktemp("log") / "server.log") as url:
        yield url


@pytest.fixture
def rows(generated: Workspace) -> Rows:
    """(candidate, review, text of the query, its status, source, grade) in their order."""

    def read() -> list[tuple[Any, ...]]:
        asked = (
            "SELECT s.review, q.text, q.status, q.source, p.quota,"
            " (SELECT j.grade FROM current_judgments c JOIN judgments j USING (judgment_id)"
            "  WHERE c.pair_id = p.pair_id)"
            " FROM synthetic_queries s LEFT JOIN queries q USING (query_key)"
            " LEFT JOIN pairs p USING (query_key) ORDER BY s.candidate_id"
        )
        with sqlite3.connect(generated.root / DATABASE_FILE) as connection:
            return connection.execute(asked).fetchall()

    return read


def open_review(page: "Page", site: str) -> None:
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{site}/generate?{urlencode({'rater': 'Dana', 'view': 'Review'})}")
    page.wait_for_selector(f"{DRAWN}:not([data-pair=''])", state="attached")
    page.wait_for_timeout(HONEST_PAUSE_MS)


def query(page: "Page") -> str:
    return page.locator(".gs-question .gs-query").inner_text()


def edit(page: "Page", words: str, end: str) -> None:
    page.keyboard.press("e")
    page.keyboard.type(words)
    page.keyboard.press(end)


def states(rows: Rows) -> list[str | None]:
    return [row[0] for row in rows()]


def test_five_candidates_are_reviewed_by_keys(page: "Page", site: str, rows: Rows) -> None:
    open_review(page, site)
    assert query(page) == TEXTS[0]
    assert "1 of 5" in page.locator(".gs-progress").inner_text()
    press(page, "a")
    assert rows()[0] == ("accepted", TEXTS[0], "active", "synthetic", 0, 2)
    assert last_said(page).endswith("saved")
    press(page, "s")
    assert query(page) == ARABIC
    press(page, "r")
    assert states(rows) == ["accepted", None, "rejected", None, None]
    press(page, "u")
    assert query(page) == ARABIC
    edit(page, "aeru <b>", "Escape")
    assert states(rows) == ["accepted", None, None, None, None]
    page.wait_for_timeout(HONEST_PAUSE_MS)
    before = page.locator(DRAWN).get_attribute("data-pair")
    edit(page, "what is <b>kept</b>", "Enter")
    page.wait_for_selector(f"{DRAWN}:not([data-pair='{before}'])", state="attached")
    assert rows()[2] == ("accepted", "what is <b>kept</b>", "active", "synthetic", 0, 2)
    page.wait_for_timeout(HONEST_PAUSE_MS)
    _go_on_to_the_end(page, rows)


def _go_on_to_the_end(page: "Page", rows: Rows) -> None:
    assert "no search finds its document" in page.locator(".gs-noticed").inner_text()
    press(page, "a", "a")
    assert states(rows) == ["accepted", None, "accepted", "accepted", None]
    press(page, "u")
    assert rows()[3] == (None, TEXTS[3], "retired", "synthetic", 0, None)
    press(page, "r")
    press(page, "a")
    assert query(page).startswith("kept :red[x] $x^2$ <script>")
    assert page.locator(".gs-doc mark").count() > 2
    assert page.locator(".gs-pair script, .gs-pair img, .gs-pair b").count() == 0
    press(page, "a")
    assert "All 5 queries of this choice are reviewed" in page.locator(".gs-note").inner_text()
    assert states(rows) == ["accepted", "accepted", "accepted", "rejected", "accepted"]
    assert rows()[1][1] == TEXTS[1]
    assert page.title() != "owned"
