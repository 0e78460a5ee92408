"""What a rater reads when no pair comes."""

import json
import sqlite3
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from benchmarks.app_server import running_app
from builder.importers import import_corpus, import_judgments, import_queries
from builder.judging.guidelines import current_guidelines, save_guidelines
from builder.judging.queue import next_pair
from builder.people import ensure_person
from builder.workspace import (
    DATABASE_FILE,
    SETTINGS_FILE,
    Workspace,
    init_workspace,
    open_workspace,
)
from tests.browser.grading import open_grading, press
from tests.workspaces import ask_raters

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page


@pytest.fixture
def small(tmp_path: "Path") -> Iterator[Workspace]:
    """No pairs yet; two of them come by `bring_pairs`. One grade each is enough."""
    root = tmp_path / "workspace"
    init_workspace(root, "small").close()
    ask_raters(root, 1)
    with open_workspace(root) as workspace:
        for name in ("Dana", "Rita", "Otto"):
            ensure_person(workspace, name)
        yield workspace


def bring_pairs(workspace: Workspace) -> None:
    folder = workspace.root / "cache"
    folder.mkdir(exist_ok=True)
    documents = [{"_id": f"d{n}", "title": f"Title {n}", "text": "Words."} for n in range(2)]
    lines = {
        "corpus.jsonl": "\n".join(map(json.dumps, documents)),
        "queries.jsonl": json.dumps({"_id": "q1", "text": "words"}),
        "qrels.tsv": "q1\td0\t0\nq1\td1\t0",
    }
    for name, text in lines.items():
        (folder / name).write_text(text, encoding="utf-8")
    import_corpus(workspace, folder / "corpus.jsonl")
    import_queries(workspace, folder / "queries.jsonl")
    import_judgments(workspace, folder / "qrels.tsv", rater="pool maker")


@pytest.fixture
def small_address(
    browser: "Browser",  # noqa: ARG001 - no server where there is no browser
    small: Workspace,
    tmp_path: "Path",
) -> Iterator[str]:
    with running_app(small.root, tmp_path / "server.log") as url:
        yield url


def note(page: "Page") -> str:
    page.wait_for_selector("[data-pair='']", state="attached")
    return page.locator("[data-testid='stMain'] .gs-note").inner_text()


def test_an_empty_pool_leads_on_only_those_who_may_fill_it(
    page: "Page", small_address: str
) -> None:
    page.goto(f"{small_address}/grade?rater=Dana")
    assert "nothing to grade yet" in note(page)
    assert page.locator("[data-testid='stMain'] [data-testid='stPageLink']").count() == 2
    page.context.clear_cookies()
    page.goto(f"{small_address}/grade?rater=Rita")
    assert "An analyst" in note(page)
    assert page.locator("[data-testid='stMain'] [data-testid='stPageLink']").count() == 0


def test_the_end_says_what_was_done_and_undo_is_still_there(
    page: "Page", small: Workspace, small_address: str
) -> None:
    bring_pairs(small)
    open_grading(page, small_address, "Rita")
    press(page, "2")
    press(page, "x", "1")
    assert "Nothing is left for you" in note(page)
    assert "graded 1 pair" in note(page)
    assert page.locator(".gs-grades").is_hidden()
    press(page, "u")
    assert page.locator(".gs-grades").is_visible()


def test_a_grade_is_of_the_guidelines_that_stood_beside_the_pair_and_new_ones_are_shown(
    page: "Page", small: Workspace, small_address: str
) -> None:
    bring_pairs(small)
    dana = ensure_person(small, "Dana")
    first = current_guidelines(small).version
    open_grading(page, small_address, "Rita")
    page.keyboard.press("g")
    save_guidelines(small, "A stricter way to grade", "", dana, base_version=first)
    press(page, "2")
    page.wait_for_function(
        "document.querySelector('.gs-guidelines').innerText.includes('stricter')"
    )
    press(page, "1")
    with sqlite3.connect(small.root / DATABASE_FILE) as connection:
        asked = "SELECT guidelines_version FROM judgments WHERE token NOT LIKE 'import-%'"
        versions = [version for (version,) in connection.execute(f"{asked} ORDER BY judgment_id")]
    assert versions == [first, (first or 0) + 1]


@pytest.mark.slow
def test_while_the_page_is_open_its_pair_stays_on_loan_and_typing_is_not_disturbed(
    page: "Page", small: Workspace, small_address: str
) -> None:
    """With leases of a minute the page renews them every 24 seconds."""
    bring_pairs(small)
    settings = small.root / SETTINGS_FILE
    settings.write_text(
        settings.read_text("utf-8").replace("[g", "lease_minutes = 1\n[g", 1), "utf-8"
    )
    open_grading(page, small_address, "Rita")
    page.keyboard.press("m")
    page.keyboard.type("half a ")
    began = lease_end(small)
    deadline = time.monotonic() + 60
    while lease_end(small) == began and time.monotonic() < deadline:
        page.wait_for_timeout(500)
    assert lease_end(small) > began
    page.keyboard.type("thought")
    assert page.locator(".gs-comment").input_value() == "half a thought"


def lease_end(workspace: Workspace) -> str:
    with sqlite3.connect(workspace.root / DATABASE_FILE) as connection:
        end: str = connection.execute("SELECT max(expires_at) FROM leases").fetchone()[0]
    return end


def test_pairs_on_other_screens_are_not_the_end(
    page: "Page", small: Workspace, small_address: str
) -> None:
    bring_pairs(small)
    open_grading(page, small_address, "Rita")
    assert next_pair(small, "Otto") is not None
    press(page, "2")
    assert "Others hold the last pairs" in note(page)
    assert "15 minutes" in note(page)
