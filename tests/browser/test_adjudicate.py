"""Two keys in a real browser decide on a disputed pair, and the database holds what they say."""

import sqlite3
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlencode
from uuid import uuid4

import pytest

from benchmarks.app_server import running_app
from builder.judging.adjudication import decide
from builder.judging.queue import submit_grade
from builder.people import Person, add_person, ensure_person
from builder.store.documents import insert_documents
from builder.store.pool import add_pairs
from builder.store.queries import insert_queries
from builder.workspace import DATABASE_FILE, Workspace, init_workspace
from evals.records import Document, Query
from tests.browser.conftest import HOSTILE, PATIENCE_MS
from tests.browser.grading import DRAWN, HONEST_PAUSE_MS, last_said, press, wait_for_words

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

GRADES = {"d0": (0, 3), "d1": (1, 3), "d2": (1, 2), "d3": (2, 3)}
"""Of ann and bob; the first three are disputed and come in this order."""

Rows: TypeAlias = Callable[[], list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def disputed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = tmp_path_factory.mktemp("adjudicate") / "workspace"
    with init_workspace(root, "adjudicate") as workspace:
        ensure_person(workspace, "Dana")
        (root / "guidelines.md").write_text("How we grade\n", encoding="utf-8")
        with workspace.store.write() as connection:
            insert_documents(connection, [Document(i, f"Title {i}", HOSTILE) for i in GRADES])
            insert_queries(connection, [Query("q1", "red", HOSTILE, ("tag",))])
            add_pairs(connection, [("q1", doc_id) for doc_id in GRADES], "bm25")
        for n, rater in enumerate(("ann", "bob")):
            add_person(workspace, rater, "rater", None)
            for pair_id, grades in enumerate(GRADES.values(), start=1):
                token, comment = uuid4().hex, HOSTILE
                submit_grade(workspace, rater, pair_id, grades[n], token=token, comment=comment)
        yield workspace


@pytest.fixture(scope="module")
def site(
    browser: "Browser",  # noqa: ARG001 - no server where there is no browser
    disputed: Workspace,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    with running_app(disputed.root, tmp_path_factory.mktemp("log") / "server.log") as url:
        yield url


@pytest.fixture
def analyst(disputed: Workspace, request: pytest.FixtureRequest) -> Person:
    """Somebody who has decided nothing yet; and nothing is decided."""
    with disputed.store.write() as connection:
        connection.exec_driver_sql("DELETE FROM adjudications")
    return add_person(disputed, request.node.name[-50:], "analyst", None)


@pytest.fixture
def rows(disputed: Workspace) -> Rows:
    """(doc_id, grade, reason, standing) of each decision, as they came."""

    def read() -> list[tuple[Any, ...]]:
        asked = (
            "SELECT doc_id, grade, reason, standing FROM adjudications JOIN pairs USING (pair_id)"
            " JOIN documents USING (doc_key) ORDER BY adjudication_id"
        )
        with sqlite3.connect(disputed.root / DATABASE_FILE) as connection:
            return connection.execute(asked).fetchall()

    return read


def open_disputes(page: "Page", site: str, person: Person, **more: str) -> None:
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{site}/adjudicate?{urlencode({'rater': person.name, **more})}")
    page.wait_for_selector(f"{DRAWN}:not([data-pair=''])", state="attached")
    page.wait_for_timeout(HONEST_PAUSE_MS)


def title(page: "Page") -> str:
    return page.locator(".gs-title").inner_text()


def choose(page: "Page", grade: str) -> None:
    page.keyboard.press(grade)
    page.wait_for_selector(".gs-why-box:not([hidden])")
    page.wait_for_timeout(HONEST_PAUSE_MS)


def test_a_grade_and_a_reason_decide_and_leave_the_grades_as_they_are(
    page: "Page", site: str, analyst: Person, rows: Rows, disputed: Workspace
) -> None:
    open_disputes(page, site, analyst)
    assert title(page) == "Title d0"
    assert page.locator(".gs-opinion b").all_inner_texts() == ["0", "3"]
    choose(page, "2")
    assert rows() == []
    press(page, "1")
    assert rows() == [("d0", 2, "guideline applied", 1)]
    assert last_said(page).endswith("saved")
    assert title(page) == "Title d1"
    with sqlite3.connect(disputed.root / DATABASE_FILE) as connection:
        told = "SELECT milliseconds > 0, guidelines_version, name FROM adjudications"
        told += " JOIN people ON person_id = adjudicator_id"
        assert connection.execute(told).fetchall() == [(1, 1, analyst.name)]
        (grades,) = connection.execute("SELECT count(*) FROM judgments").fetchone()
    assert grades == 2 * len(GRADES)


def test_a_double_press_decides_nothing(
    page: "Page", site: str, analyst: Person, rows: Rows
) -> None:
    open_disputes(page, site, analyst)
    page.keyboard.press("1")
    page.keyboard.press("1")
    wait_for_words(page, "it was ignored")
    assert rows() == []
    assert title(page) == "Title d0"
    page.wait_for_timeout(HONEST_PAUSE_MS)
    press(page, "3")
    assert rows() == [("d0", 1, "need misread", 1)]


def test_undo_brings_the_pair_back_and_later_puts_it_off(
    page: "Page", site: str, analyst: Person, rows: Rows
) -> None:
    open_disputes(page, site, analyst)
    choose(page, "2")
    press(page, "4")
    press(page, "u")
    assert title(page) == "Title d0"
    assert rows() == [("d0", 2, "need is ambiguous", 0)]
    for expected in ("Title d1", "Title d2", "Title d0"):
        press(page, "s")
        assert title(page) == expected
    assert len(rows()) == 1


def test_a_typed_reason_and_nothing_is_markup(
    page: "Page", site: str, analyst: Person, rows: Rows
) -> None:
    open_disputes(page, site, analyst)
    choose(page, "0")
    page.keyboard.press("5")
    page.keyboard.type(HOSTILE[:60])
    press(page, "Enter")
    assert rows() == [("d0", 0, HOSTILE[:60], 1)]
    assert page.title() != "owned"
    assert page.locator(".gs-quote script, .gs-quote img").count() == 0
    page.get_by_text("Decided", exact=True).click()
    page.wait_for_selector(".gs-entry")
    assert HOSTILE[:30] in page.locator(".gs-entry").inner_text()


def test_whom_somebody_forestalled_is_told(
    page: "Page", site: str, analyst: Person, rows: Rows, disputed: Workspace
) -> None:
    open_disputes(page, site, analyst)
    dana = ensure_person(disputed, "Dana")
    decide(disputed, dana, 1, 3, "document misread", token=uuid4().hex)
    choose(page, "0")
    press(page, "1")
    assert last_said(page).startswith("Dana decided")
    assert rows() == [("d0", 3, "document misread", 1)]
    open_disputes(page, site, analyst, pair="1")
    assert page.locator(".gs-key.gs-own").inner_text().startswith("3")
    choose(page, "0")
    press(page, "2")
    assert [row[1:] for row in rows()] == [
        (3, "document misread", 0),
        (0, "document misread", 1),
    ]


def test_clicks_do_as_well_and_at_the_end_the_next_step_is_named(
    page: "Page", site: str, analyst: Person, rows: Rows
) -> None:
    open_disputes(page, site, analyst)
    for _ in range(2):
        choose(page, "1")
        press(page, "2")
    before = page.locator(DRAWN).get_attribute("data-pair")
    page.locator("[data-press='1']").click()
    page.wait_for_timeout(HONEST_PAUSE_MS)
    page.locator("[data-choice='2']").click()
    page.wait_for_selector(f"{DRAWN}:not([data-pair='{before}'])", state="attached")
    assert {row[0] for row in rows()} == {"d0", "d1", "d2"}
    assert "Everything disputed is decided." in page.locator(".st-key-adjudicate_end").inner_text()
    assert page.locator(".st-key-adjudicate_end a").inner_text().strip().endswith("Release")


def test_a_rater_is_shown_no_dispute(page: "Page", site: str, disputed: Workspace) -> None:
    page.goto(f"{site}/adjudicate?rater={ensure_person(disputed, 'ann').name}")
    page.wait_for_selector(".gs-note", timeout=PATIENCE_MS)
    assert "It takes the role analyst" in page.locator(".gs-note").first.inner_text()
    assert page.locator(".gs-opinion").count() == 0
