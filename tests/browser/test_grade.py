"""Real keys in a real browser: what a rater presses is what the database holds."""

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from builder.store.judgments import GradeRow

if TYPE_CHECKING:
    from playwright.sync_api import Page

GradesOf = Callable[[str], list[GradeRow]]
HONEST_PAUSE_MS = 450
FIRST_LOOK_MS = 200
DRAWN = "[data-pair]"


def open_grading(page: "Page", address: str, rater: str) -> None:
    page.goto(f"{address}/grade?rater={quote(rater)}")
    page.wait_for_selector(f"{DRAWN}:not([data-pair=''])", state="attached")
    page.wait_for_timeout(FIRST_LOOK_MS)


def pair_on_screen(page: "Page") -> str:
    return str(page.locator(DRAWN).last.get_attribute("data-pair"))


def press(page: "Page", key: str) -> None:
    """Press a key, wait until another pair is there, and read it for an honest while."""
    before = pair_on_screen(page)
    page.keyboard.press(key)
    page.wait_for_selector(f"{DRAWN}:not([data-pair='{before}'])", state="attached")
    page.wait_for_timeout(HONEST_PAUSE_MS)


def test_each_key_grades_saves_and_moves_on(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    for key in "3210":
        press(page, key)
        assert page.locator(".gs-last").inner_text().startswith(f"Saved: {key}")
    assert sorted(str(row.grade) for row in grades_of(rater)) == list("0123")


@pytest.mark.parametrize("gap_ms", [0, 30, 100, 300])
def test_a_double_press_grades_one_pair_and_says_so(
    page: "Page", address: str, rater: str, grades_of: GradesOf, gap_ms: int
) -> None:
    open_grading(page, address, rater)
    for _ in range(2):
        page.keyboard.press("2")
        page.wait_for_timeout(gap_ms)
        page.keyboard.press("2")
        page.wait_for_timeout(700)
        assert "ignored" in page.locator(".gs-last").inner_text()
    assert [row.grade for row in grades_of(rater)] == [2, 2]


def test_of_two_keys_at_once_the_first_counts(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    for _ in range(3):
        page.keyboard.press("3")
        page.keyboard.press("1")
        page.wait_for_timeout(700)
    assert [row.grade for row in grades_of(rater)] == [3, 3, 3]


def test_a_held_key_grades_one_pair(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    page.keyboard.down("1")
    for _ in range(25):
        page.wait_for_timeout(33)
        page.keyboard.down("1")  # without an up in between the browser calls it a repeat
    page.keyboard.up("1")
    page.wait_for_timeout(HONEST_PAUSE_MS)
    assert [row.grade for row in grades_of(rater)] == [1]


def test_undo_brings_the_pair_back(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    first = pair_on_screen(page)
    press(page, "0")
    press(page, "u")
    assert pair_on_screen(page) == first
    assert grades_of(rater) == []
    press(page, "3")
    assert [row.grade for row in grades_of(rater)] == [3]


def test_a_reload_loses_no_grade_and_shows_the_same_pair(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    press(page, "2")
    waiting = pair_on_screen(page)
    page.reload()
    page.wait_for_selector(f"{DRAWN}:not([data-pair=''])", state="attached")
    assert pair_on_screen(page) == waiting
    assert len(grades_of(rater)) == 1


def test_keys_are_off_while_a_comment_is_written(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    before = pair_on_screen(page)
    page.get_by_label("Comment on this pair").click()
    page.keyboard.type("Version 3 of 2u")
    assert pair_on_screen(page) == before
    page.keyboard.press("Escape")
    page.wait_for_timeout(HONEST_PAUSE_MS)
    press(page, "1")
    (row,) = grades_of(rater)
    assert (row.grade, row.comment) == (1, "Version 3 of 2u")


def test_a_second_tab_cannot_grade_the_pair_again(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    other = page.context.new_page()
    open_grading(other, address, rater)
    press(page, "3")
    press(other, "0")
    assert "stands" in other.locator(".gs-last").inner_text()
    assert [row.grade for row in grades_of(rater)] == [3]


def test_hostile_text_is_shown_as_it_was_written(page: "Page", address: str, rater: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_grading(page, address, rater)
    shown = page.locator(".gs-doc").inner_text()
    for literal in (":red[x]", "$x^2$", "<script>", "<img src=x", "![i](http", "**b**", "`c`"):
        assert literal in shown
    assert page.locator(".gs-doc img, .gs-doc script, .gs-query img, .katex").count() == 0
    assert page.title() != "owned"
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []


def test_a_text_of_150_words_fits_without_scrolling(page: "Page", address: str, rater: str) -> None:
    open_grading(page, address, rater)
    main = page.locator("[data-testid='stMain']")
    words = "evaluate " * 150
    page.locator(".gs-text").evaluate("(text, words) => { text.textContent = words }", words)
    assert main.evaluate("main => main.scrollHeight <= main.clientHeight")


def test_the_query_stays_in_sight_and_the_next_pair_begins_at_its_top(
    page: "Page", address: str, rater: str
) -> None:
    page.set_viewport_size({"width": 1280, "height": 420})
    open_grading(page, address, rater)
    main = page.locator("[data-testid='stMain']")
    main.evaluate("main => main.scrollTo(0, main.scrollHeight)")
    assert main.evaluate("main => main.scrollTop") > 0
    query = page.locator(".gs-query").bounding_box()
    assert query is not None
    assert 0 <= query["y"] < 100
    press(page, "2")
    assert main.evaluate("main => main.scrollTop") == 0


def test_on_a_phone_the_four_grades_stand_in_one_row_in_reach(
    page: "Page", address: str, rater: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_grading(page, address, rater)
    boxes = [
        page.locator(f"[class*='st-key-grade_{grade}_'] button").bounding_box()
        for grade in range(4)
    ]
    tops = {round(box["y"]) for box in boxes if box}
    assert len(boxes) == 4
    assert len(tops) == 1
    assert min(tops) > 844 / 2
    assert all(box and box["width"] >= 44 and box["height"] >= 44 for box in boxes)
