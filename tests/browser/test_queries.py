"""The Queries page in a real browser: hostile texts stay texts, and what is pressed is done."""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from benchmarks.app_server import running_app
from builder.curation import QueryContent, add_query, find_query
from builder.judging.queue import flag_query, submit_grade
from builder.people import ensure_person
from builder.store.documents import insert_documents
from builder.store.pool import add_pairs
from builder.store.query_edits import documents_of
from builder.store.shown import query_key_of
from builder.workspace import Workspace, init_workspace
from evals.records import Document
from tests.browser.conftest import HOSTILE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PHONE = {"width": 390, "height": 844}
VIEWS = ("queries", "queries?view=waiting", "queries?view=duplicates", "queries?query=q1")


@pytest.fixture(scope="module")
def curated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Queries q1 and q2 of the same hostile text, with tags, pairs, grades, and a rater's doubt."""
    root = tmp_path_factory.mktemp("curated") / "workspace"
    with init_workspace(root, "curated") as workspace:
        for name in ("Dana", "Ravi"):
            ensure_person(workspace, name)
        for query_id, need in (("q1", HOSTILE), ("q2", "another")):
            content = QueryContent(f"read {HOSTILE}", need, ("files", HOSTILE))
            add_query(workspace, content, None, query_id=query_id)
        with workspace.store.write() as connection:
            insert_documents(connection, [Document(f"d{n}", HOSTILE, "x") for n in range(3)])
            add_pairs(connection, [("q1", "d0"), ("q2", "d0"), ("q2", "d1")], "bm25")
            key = query_key_of(connection, "q2")
            assert key is not None
            pair_ids = documents_of(connection, key)
        submit_grade(workspace, "Ravi", pair_ids["d1"], 3, token=uuid4().hex)
        flag_query(workspace, "Ravi", "q1", "unclear", HOSTILE, token=uuid4().hex)
        yield workspace


@pytest.fixture(scope="module")
def site(
    browser: "Browser",  # noqa: ARG001 - no server where there is no browser
    curated: Workspace,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    with running_app(curated.root, tmp_path_factory.mktemp("log") / "server.log") as url:
        yield url


def go(page: "Page", site: str, path: str) -> None:
    page.goto(f"{site}/{path}{'&' if '?' in path else '?'}rater=Dana")
    page.wait_for_selector(".gs-listed, .gs-entry, .gs-listed-whole")
    page.wait_for_timeout(300)


@pytest.mark.parametrize("path", VIEWS)
def test_hostile_texts_stay_texts_and_fit_a_phone(page: "Page", site: str, path: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    go(page, site, path)
    main = page.locator("[data-testid='stMain']")
    assert main.evaluate("main => main.scrollWidth <= main.clientWidth")
    assert "<script>" in main.inner_text()
    assert main.locator("script, img[src='x'], .katex, strong").count() == 0
    assert page.title() != "owned"
    assert [url for url in asked if not url.startswith((site, "data:", "blob:"))] == []


def test_a_query_is_found_edited_despite_a_warning_and_merged(
    page: "Page", site: str, curated: Workspace
) -> None:
    go(page, site, "queries")
    page.get_by_label("Search").fill("ANOTHER")
    page.get_by_label("Search").press("Enter")
    page.get_by_text("1 found.").wait_for()
    page.get_by_text("Open", exact=True).click()
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Need", exact=True).fill("a need in clear words")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("1 grade was given under the text as it was.").wait_for()
    assert find_query(curated, "q2").query.need == "another"
    page.get_by_role("button", name="Save it all the same").click()
    page.get_by_text("Saved: need.").wait_for()
    assert find_query(curated, "q2").query.need == "a need in clear words"
    page.get_by_role("button", name="Merge").click()
    page.get_by_label("Id of the query that stays").fill("q1")
    page.get_by_label("Id of the query that stays").press("Enter")
    # By the keyboard: the typed id may still redraw the page, and a pointer miss what moved.
    # Where the redraw takes the pressed button away, the press has no end, yet what it brings.
    from playwright.sync_api import TimeoutError as PlaywrightTimeout

    with contextlib.suppress(PlaywrightTimeout):
        page.get_by_role("button", name="See what would happen").press("Enter", timeout=10_000)
    page.get_by_text("2 pairs of the merged query: 1 new").wait_for()
    assert find_query(curated, "q2").query.status == "active"
    page.get_by_role("button", name="Merge", exact=True).click()
    page.get_by_text("Merged q2 into this query: 1 new pair, 1 grade").wait_for()
    kept, merged = find_query(curated, "q1"), find_query(curated, "q2")
    assert (kept.counts.pairs, kept.counts.grades) == (2, 1)
    assert (merged.query.status, merged.counts.grades) == ("retired", 0)


def test_a_merge_into_nothing_is_told_where_the_id_was_typed(page: "Page", site: str) -> None:
    go(page, site, "queries?query=q1")
    page.get_by_role("button", name="Merge").click()
    popover = page.get_by_test_id("stPopoverBody")
    popover.get_by_label("Id of the query that stays").fill("nobody")
    popover.get_by_role("button", name="See what would happen").click()
    popover.get_by_text("There is no query nobody").wait_for()
    assert page.locator(".gs-note.gs-error").count() == 1
