"""A whole query graded in place: what is pressed beside a document is what the database holds."""

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from builder.backup import back_up_to, restore_backup
from builder.judging.queue import next_query_id, query_pairs, submit_grade
from builder.store.corpus_search import pair_id_of
from builder.store.documents import insert_documents
from builder.workspace import Workspace
from evals.records import Document
from tests.browser.conftest import N_PAIRS, RowsOf
from tests.browser.grading import HONEST_PAUSE_MS, GradesOf
from ui.sitting import name_in_page

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

LITERALS = (":red[x]", "$x^2$", "<script>", "<img src=x", "![i](http", "**b**", "`c`")


def open_list(page: "Page", address: str, rater: str, **more: str) -> None:
    """Open the list as `rater` and wait until its first open document is in focus."""
    page.goto(f"{address}/grade?{urlencode({'rater': rater, 'view': 'list', **more})}")
    page.wait_for_selector(".gs-row.gs-focused .gs-grades")


def names(page: "Page") -> list[str]:
    """The rows on screen, in their order."""
    found: list[str] = page.locator(".gs-row").evaluate_all(
        "rows => rows.map(row => row.dataset.row)"
    )
    return found


def row(page: "Page", place: int) -> "Locator":
    return page.locator(".gs-row").nth(place)


def wait_for_told(page: "Page", place: int, words: str) -> None:
    row(page, place).get_by_role("status").filter(has_text=words).wait_for()


def focused(page: "Page") -> int:
    return names(page).index(str(page.locator(".gs-row.gs-focused").get_attribute("data-row")))


def pair_ids(workspace: Workspace, rater: str) -> dict[str, int]:
    """Name in the page -> pair_id, of the query in hand."""
    query_id = next_query_id(workspace, rater)
    assert query_id is not None
    pairs = query_pairs(workspace, rater, query_id)
    return {name_in_page(rater, pair): pair.pair_id for pair in pairs}


def test_each_document_is_graded_by_keys_where_it_stands(
    page: "Page", address: str, rater: str, workspace: Workspace, rows_of: RowsOf
) -> None:
    expected = pair_ids(workspace, rater)
    open_list(page, address, rater)
    shown = names(page)
    assert shown == list(expected)
    assert len(shown) >= N_PAIRS // 2
    for place, key in enumerate("3210"):
        assert focused(page) == place
        page.keyboard.press(key)
        wait_for_told(page, place, "Saved")
        page.wait_for_timeout(HONEST_PAUSE_MS)
    page.keyboard.press("k")
    page.keyboard.press("ArrowUp")
    assert focused(page) == 2
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    assert focused(page) == 4
    graded = {each.pair_id: each.grade for each in rows_of(rater)}
    assert graded == {expected[shown[place]]: 3 - place for place in range(4)}
    pressed = row(page, 1).locator("[aria-pressed='true']")
    assert pressed.get_attribute("data-press") == "2"


def test_another_click_changes_the_grade_and_the_same_one_changes_nothing(
    page: "Page", address: str, rater: str, rows_of: RowsOf
) -> None:
    open_list(page, address, rater)
    fifth = row(page, 5)
    fifth.locator("[data-press='1']").click()
    wait_for_told(page, 5, "Saved")
    assert focused(page) == 5
    fifth.locator("[data-press='3']").click()
    wait_for_told(page, 5, "Changed, saved")
    fifth.locator("[data-press='3']").dblclick()
    wait_for_told(page, 5, "Saved")
    assert [(each.outcome, each.grade) for each in rows_of(rater)] == [("grade", 1), ("grade", 3)]
    assert len({each.pair_id for each in rows_of(rater)}) == 1


def test_clicks_that_come_at_once_are_all_kept(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_list(page, address, rater)
    page.evaluate(
        """() => document.querySelectorAll(".gs-row").forEach((row, place) => {
            if (place < 8) row.querySelector(`[data-press="${place % 4}"]`).click();
        })"""
    )
    wait_for_told(page, 7, "Saved")
    assert sorted(each.grade or 0 for each in grades_of(rater)) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_of_two_different_keys_that_come_at_once_the_first_counts(
    page: "Page", address: str, rater: str, rows_of: RowsOf
) -> None:
    open_list(page, address, rater)
    # From within the page: two presses from here may be further apart than the guard is long.
    page.evaluate(
        """() => {
            for (const key of "31") {
                const press = new KeyboardEvent("keydown", { key, bubbles: true });
                document.activeElement.dispatchEvent(press);
            }
        }"""
    )
    page.locator(".gs-list-bar .gs-last").filter(has_text="was ignored").wait_for()
    wait_for_told(page, 0, "Saved")
    assert [each.grade for each in rows_of(rater)] == [3]
    assert focused(page) == 1


@pytest.mark.parametrize(("keys", "gap_ms"), [("22", 0), ("22", 200)])
def test_of_two_keys_that_come_at_once_the_first_counts(
    page: "Page", address: str, rater: str, rows_of: RowsOf, keys: str, gap_ms: int
) -> None:
    open_list(page, address, rater)
    page.keyboard.press(keys[0])
    page.wait_for_timeout(gap_ms)
    page.keyboard.press(keys[1])
    page.locator(".gs-list-bar .gs-last").filter(has_text="was ignored").wait_for()
    wait_for_told(page, 0, "Saved")
    assert [each.grade for each in rows_of(rater)] == [int(keys[0])]
    assert focused(page) == 1


def test_a_key_that_is_held_grades_once(
    page: "Page", address: str, rater: str, rows_of: RowsOf
) -> None:
    open_list(page, address, rater)
    for _ in range(10):
        page.keyboard.down("2")
    page.keyboard.up("2")
    wait_for_told(page, 0, "Saved")
    assert len(rows_of(rater)) == 1


def test_what_is_typed_as_a_comment_grades_nothing_and_is_kept(
    page: "Page", address: str, rater: str, rows_of: RowsOf
) -> None:
    typed = "0123 jkn <b>x</b> :red[y]"
    open_list(page, address, rater)
    page.keyboard.press("m")
    page.keyboard.type(typed)
    page.keyboard.press("Enter")
    assert rows_of(rater) == []
    page.keyboard.press("2")
    wait_for_told(page, 0, "Saved")
    page.keyboard.press("k")
    page.keyboard.press("m")
    page.keyboard.type(" more")
    page.keyboard.press("Escape")
    wait_for_told(page, 0, "Changed, saved")
    assert [(each.grade, each.comment) for each in rows_of(rater)] == [
        (2, typed),
        (2, f"{typed} more"),
    ]


def test_cannot_judge_takes_a_reason_and_a_grade_may_follow(
    page: "Page", address: str, rater: str, rows_of: RowsOf
) -> None:
    open_list(page, address, rater)
    page.keyboard.press("x")
    page.keyboard.press("1")
    wait_for_told(page, 0, "Can't judge, saved (I lack the knowledge)")
    page.keyboard.press("x")
    page.keyboard.press("4")
    page.keyboard.type("own :red[words]")
    page.keyboard.press("Enter")
    wait_for_told(page, 0, "own :red[words]")
    page.keyboard.press("2")
    wait_for_told(page, 0, "Saved")
    assert row(page, 0).locator("[data-press='x']").is_disabled()
    rows = [(each.outcome, each.grade, each.reason) for each in rows_of(rater)]
    assert rows == [
        ("cannot_judge", None, "I lack the knowledge"),
        ("cannot_judge", None, "own :red[words]"),
        ("grade", 2, ""),
    ]


def test_undo_brings_the_document_back_where_it_stands(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_list(page, address, rater)
    order = names(page)
    for place, key in enumerate("12"):
        page.keyboard.press(key)
        wait_for_told(page, place, "Saved")
        page.wait_for_timeout(HONEST_PAUSE_MS)
    page.keyboard.press("u")
    page.locator(".gs-list-bar .gs-last").filter(has_text="Undone: your grade of").wait_for()
    page.wait_for_function("document.querySelectorAll('.gs-row .gs-own').length === 1")
    assert names(page) == order
    assert focused(page) == 1
    assert len(grades_of(rater)) == 1


def test_queries_follow_one_another_and_the_way_back_is_open(
    page: "Page", address: str, rater: str
) -> None:
    open_list(page, address, rater)
    first, order = page.locator(".gs-query").inner_text(), names(page)
    page.keyboard.press("n")
    page.wait_for_function(
        "before => document.querySelector('.gs-query')?.innerText !== before", arg=first
    )
    page.wait_for_selector(".gs-row.gs-focused .gs-grades")
    assert not set(names(page)) & set(order)
    page.keyboard.press("p")
    page.wait_for_function(
        "before => document.querySelector('.gs-query')?.innerText === before", arg=first
    )
    page.wait_for_selector(".gs-row.gs-focused .gs-grades")
    assert names(page) == order
    page.reload()
    page.wait_for_selector(".gs-row.gs-focused .gs-grades")
    assert names(page) == order


def test_a_query_may_be_sent_away_as_a_whole(
    page: "Page", address: str, rater: str, workspace: Workspace
) -> None:
    open_list(page, address, rater)
    first = page.locator(".gs-query").inner_text()
    page.keyboard.press("q")
    page.keyboard.press("1")
    page.wait_for_function(
        "before => document.querySelector('.gs-query')?.innerText !== before", arg=first
    )
    page.locator(".gs-list-bar .gs-last").filter(has_text="unclear, saved").wait_for()
    page.keyboard.press("u")
    page.wait_for_function(
        "before => document.querySelector('.gs-query')?.innerText === before", arg=first
    )
    assert next_query_id(workspace, rater) is not None


def test_one_by_one_and_the_whole_query_are_one_key_apart(
    page: "Page", address: str, rater: str
) -> None:
    open_list(page, address, rater)
    query = page.locator(".gs-query").inner_text()
    page.keyboard.press("l")
    page.wait_for_selector(".gs-bar:not(.gs-list-bar) .gs-grades")
    assert "view=" not in page.url
    assert page.locator(".gs-query").inner_text() == query
    page.keyboard.press("l")
    page.wait_for_selector(".gs-row.gs-focused .gs-grades")
    assert "view=list" in page.url
    assert page.locator(".gs-query").inner_text() == query


def test_a_stale_tab_overwrites_no_grade_and_says_so(
    page: "Page", address: str, rater: str, workspace: Workspace, rows_of: RowsOf
) -> None:
    expected = pair_ids(workspace, rater)
    open_list(page, address, rater)
    pair_id = expected[names(page)[0]]
    submit_grade(workspace, rater, pair_id, 3, token=f"elsewhere {rater}")
    page.keyboard.press("0")
    wait_for_told(page, 0, "Your 3 stands")
    assert [each.grade for each in rows_of(rater)] == [3]
    page.wait_for_timeout(HONEST_PAUSE_MS)
    page.keyboard.press("k")
    page.keyboard.press("0")
    wait_for_told(page, 0, "Changed, saved")
    assert [each.grade for each in rows_of(rater)] == [3, 0]


def test_a_query_that_is_not_there_is_said(page: "Page", address: str, rater: str) -> None:
    page.goto(f"{address}/grade?{urlencode({'rater': rater, 'view': 'list', 'query': 'nope'})}")
    page.locator(".gs-list-bar .gs-last").filter(has_text="no query nope").wait_for()
    page.keyboard.press("n")
    page.wait_for_selector(".gs-row.gs-focused .gs-grades")


def test_all_of_a_long_text_is_shown_on_a_key_and_the_comment_stays(
    page: "Page", address: str, rater: str, rows_of: RowsOf
) -> None:
    open_list(page, address, rater)
    long = [at for at in range(N_PAIRS // 2) if row(page, at).locator(".gs-all").count()]
    assert long
    for _ in range(long[0]):
        page.keyboard.press("j")
    row(page, long[0]).locator(".gs-comment").fill("a draft")
    page.keyboard.press("Escape")
    before = len(row(page, long[0]).locator(".gs-text").inner_text())
    page.keyboard.press("a")
    row(page, long[0]).locator(".gs-all").wait_for(state="detached")
    page.wait_for_selector(".gs-row.gs-focused .gs-grades")
    assert len(row(page, long[0]).locator(".gs-text").inner_text()) > before
    assert row(page, long[0]).locator(".gs-comment").input_value() == "a draft"
    assert focused(page) == long[0]
    assert rows_of(rater) == []


def test_hostile_text_is_shown_as_it_was_written(page: "Page", address: str, rater: str) -> None:
    open_list(page, address, rater)
    for place in (".gs-title", ".gs-text", ".gs-query", ".gs-need"):
        shown = str(page.locator(place).first.text_content())
        assert [literal for literal in LITERALS if literal not in shown] == [], place
    main = page.locator("[data-testid='stMain']")
    assert main.locator("script, .katex, img, em, strong, code, a[href]").count() == 0
    assert page.title() != "owned"


@pytest.mark.parametrize("width", [1280, 390])
def test_the_query_and_the_bar_stay_in_sight(
    page: "Page", address: str, rater: str, width: int
) -> None:
    height = 800 if width == 1280 else 844
    page.set_viewport_size({"width": width, "height": height})
    open_list(page, address, rater)
    page.locator(".gs-need").evaluate("need => { need.textContent = 'A need of some words' }")
    page.locator(".gs-query").evaluate("query => { query.textContent = 'read file by line' }")
    for _ in range(9):
        page.keyboard.press("j")
    page.wait_for_timeout(200)
    query = page.locator(".gs-query").bounding_box()
    bar = page.locator(".gs-list-bar").bounding_box()
    grades = page.locator(".gs-focused .gs-grades").bounding_box()
    assert query
    assert bar
    assert grades
    assert 0 <= query["y"] < 150
    assert bar["y"] + bar["height"] <= height
    assert query["y"] + query["height"] < grades["y"] < bar["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    buttons = page.locator(".gs-focused .gs-grades button")
    tops = buttons.evaluate_all("all => all.map(each => each.getBoundingClientRect().top)")
    assert len(set(tops)) == 1


def test_what_the_corpus_search_adds_stands_in_the_list(
    page: "Page", address: str, rater: str, workspace: Workspace, rows_of: RowsOf
) -> None:
    query_id = next_query_id(workspace, rater)
    with workspace.store.write() as connection:
        insert_documents(connection, [Document("yak", "Yak", "a shaggy yak")])
    open_list(page, address, rater)
    page.get_by_role("button", name="Search the corpus").click()
    box = page.get_by_role("dialog").get_by_label("Words to look for")
    box.fill("")
    box.press_sequentially("jkn 0123 yak")
    box.press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.locator(".gs-result mark").filter(has_text="Yak").first.wait_for()
    dialog.get_by_role("button", name="Add to the pool").first.click()
    dialog.get_by_role("button", name="Grade it now").click()
    page.locator(".gs-row.gs-focused .gs-title").filter(has_text="Yak").wait_for()
    dialog.wait_for(state="detached")
    assert rows_of(rater) == []
    page.keyboard.press("3")
    page.locator(".gs-row.gs-focused").get_by_role("status").filter(has_text="Saved").wait_for()
    with workspace.store.read() as connection:
        pair_id = pair_id_of(connection, str(query_id), "yak")
    assert [(each.pair_id, each.grade) for each in rows_of(rater)] == [(pair_id, 3)]


def test_in_the_list_a_press_after_a_restore_is_told_of_and_not_saved(
    page: "Page", address: str, rater: str, rows_of: RowsOf, workspace: Workspace, tmp_path: Path
) -> None:
    copy = back_up_to(workspace, tmp_path / "copy.db").file
    open_list(page, address, rater)
    page.keyboard.press("2")
    wait_for_told(page, 0, "Saved")
    restore_backup(workspace.root, copy)
    page.wait_for_timeout(HONEST_PAUSE_MS)
    page.keyboard.press("3")
    page.get_by_text("restored from a copy: this press was not saved").wait_for()
    page.wait_for_selector(".gs-row.gs-focused .gs-grades")
    row(page, 0).locator("[aria-pressed='true']").first.wait_for(state="detached")
    assert rows_of(rater) == []
