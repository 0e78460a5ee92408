"""A rater searches the corpus from the grading page and adds what the pool lacks."""

from typing import TYPE_CHECKING

from builder.judging.queue import next_pair
from builder.pooling.corpus_search import SOURCE
from builder.store.corpus_search import pair_id_of
from builder.store.documents import insert_documents
from builder.store.pool import pool_by_source
from builder.workspace import Workspace
from evals.records import Document
from tests.browser.conftest import HOSTILE, RowsOf
from tests.browser.grading import HONEST_PAUSE_MS, last_said, open_grading, pair_on_screen, press

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


def open_search(page: "Page") -> "Locator":
    page.get_by_role("button", name="Search the corpus").click()
    box = page.get_by_role("dialog").get_by_label("Words to look for")
    box.wait_for()
    return box


def go_and_grade(page: "Page", before: str, key: str) -> None:
    """Go to the pair that was added and grade it."""
    page.get_by_role("button", name="Grade it now").click()
    page.wait_for_selector(f"[data-pair]:not([data-pair='{before}'])", state="attached")
    page.get_by_role("dialog").wait_for(state="detached")
    assert page.locator(".gs-title").inner_text().startswith("Zebra")
    page.wait_for_timeout(HONEST_PAUSE_MS)
    press(page, key)


def test_what_a_rater_adds_is_in_the_pool_and_comes_up(
    page: "Page", address: str, rater: str, workspace: Workspace, rows_of: RowsOf
) -> None:
    shown = next_pair(workspace, rater)
    assert shown is not None
    query = shown.query
    doc_id = f"zebra {query.query_id}"
    with workspace.store.write() as connection:
        insert_documents(connection, [Document(doc_id, f"Zebra {HOSTILE}", f"stripes {HOSTILE}")])
    open_grading(page, address, rater)
    before = pair_on_screen(page)
    box = open_search(page)
    assert box.input_value() == query.text
    box.fill("")
    # Keys of grading, typed: 0 to 3, u, s, x, q, g, a, l.
    box.press_sequentially("usxqgal 0123 stripes zebra")
    box.press("Enter")
    result = page.get_by_role("dialog").locator(".gs-result").first
    page.wait_for_function(
        "document.querySelector('[role=dialog] .gs-result mark')?.innerText === 'Zebra'"
    )
    assert "<script>" in result.inner_text()
    page.get_by_role("button", name="Add to the pool").first.click()
    page.get_by_text("Added to the pool", exact=True).wait_for()
    with workspace.store.read() as connection:
        pair_id = pair_id_of(connection, query.query_id, doc_id)
        assert pair_id is not None
        assert pool_by_source(connection)[SOURCE] >= 1
    assert rows_of(rater) == []
    go_and_grade(page, before, "2")
    assert last_said(page).startswith("Last: 2 on")
    assert [(row.pair_id, row.grade) for row in rows_of(rater)] == [(pair_id, 2)]
    assert page.title() != "owned"


def test_no_key_grades_while_the_search_is_open_and_all_do_when_it_is_closed(
    page: "Page", address: str, rater: str, rows_of: RowsOf
) -> None:
    open_grading(page, address, rater)
    open_search(page)
    page.get_by_role("dialog").get_by_text("In the pool", exact=True).first.wait_for()
    page.get_by_role("dialog").get_by_role("heading").first.click()  # the focus leaves the box
    for key in "0123sug":
        page.keyboard.press(key)
    page.wait_for_timeout(HONEST_PAUSE_MS)
    assert rows_of(rater) == []
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    press(page, "1")
    assert [row.grade for row in rows_of(rater)] == [1]


def test_the_page_behind_counts_what_was_added(
    page: "Page", address: str, rater: str, workspace: Workspace
) -> None:
    shown = next_pair(workspace, rater)
    assert shown is not None
    doc_id = f"okapi {shown.query.query_id}"
    with workspace.store.write() as connection:
        insert_documents(connection, [Document(doc_id, "Okapi", "neck")])
    open_grading(page, address, rater)
    before = pair_on_screen(page)
    assert f"{shown.left_in_query} to grade here" in page.locator(".gs-progress").inner_text()
    box = open_search(page)
    box.fill("okapi")
    box.press("Enter")
    page.get_by_role("button", name="Add to the pool").first.click()
    page.get_by_text("Added to the pool", exact=True).wait_for()
    page.keyboard.press("Escape")
    more = f"{shown.left_in_query + 1} to grade here"
    page.locator(".gs-progress").filter(has_text=more).wait_for()
    assert pair_on_screen(page) == before
