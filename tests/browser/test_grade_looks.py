"""What the grading page looks like, and what it never does with texts of others."""

from typing import TYPE_CHECKING

import pytest

from tests.browser.grading import GradesOf, open_grading, pair_on_screen, press

if TYPE_CHECKING:
    from playwright.sync_api import Page

MAIN = "[data-testid='stMain']"
LITERALS = (":red[x]", "$x^2$", "<script>", "<img src=x", "![i](http", "**b**", "`c`", "\u202e")


def test_hostile_text_is_shown_as_it_was_written(page: "Page", address: str, rater: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_grading(page, address, rater)
    page.keyboard.press("g")
    places = (".gs-title", ".gs-text", ".gs-query", ".gs-need", ".gs-progress", ".gs-guidelines")
    for place in places:
        shown = str(page.locator(place).first.text_content())
        assert [literal for literal in LITERALS if literal not in shown] == [], place
    assert ":red[g]" in page.locator(".gs-grade").first.inner_text()
    press(page, "2")
    assert ":red[x]" in page.locator(".gs-last").inner_text()
    main = page.locator(MAIN)
    assert main.locator("script, .katex, img, em, strong, code, a[href]").count() == 0
    assert page.title() != "owned"
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []


def test_a_hostile_comment_is_stored_as_it_was_typed(
    page: "Page", address: str, rater: str
) -> None:
    typed = "<b>x</b> :red[y] $z$ \u05d0\u05d1 =1+1"
    open_grading(page, address, rater)
    page.locator(".gs-comment").fill(typed)
    page.keyboard.press("Escape")
    press(page, "1")
    press(page, "u")
    assert page.locator(".gs-comment").input_value() == typed


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_text_of_150_words_fits_without_scrolling(
    page: "Page", address: str, rater: str, scheme: str
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    open_grading(page, address, rater)
    words = "evaluate " * 150
    page.locator(".gs-title").evaluate("title => { title.textContent = 'A title of some words' }")
    page.locator(".gs-need").evaluate("need => { need.textContent = 'A need of some words' }")
    page.locator(".gs-query").evaluate("query => { query.textContent = 'read file by line' }")
    page.locator(".gs-text").evaluate("(text, words) => { text.textContent = words }", words)
    main = page.locator(MAIN)
    assert main.evaluate("main => main.scrollHeight <= main.clientHeight")
    for shown in (".gs-progress", ".gs-query", ".gs-bar"):
        box = page.locator(shown).bounding_box()
        assert box
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 800


def test_the_query_stays_in_sight_and_the_next_pair_begins_at_its_top(
    page: "Page", address: str, rater: str
) -> None:
    page.set_viewport_size({"width": 1280, "height": 520})
    open_grading(page, address, rater)
    page.locator(".gs-text").evaluate("text => { text.textContent += ' and so on'.repeat(900) }")
    main = page.locator(MAIN)
    main.evaluate("main => main.scrollTo(0, 600)")
    assert main.evaluate("main => main.scrollTop") > 400
    query, bar = page.locator(".gs-query").bounding_box(), page.locator(".gs-bar").bounding_box()
    assert query
    assert bar
    assert 0 <= query["y"] < 150
    assert bar["y"] + bar["height"] <= 520
    press(page, "2")
    assert main.evaluate("main => main.scrollTop") == 0


def test_on_a_phone_the_four_grades_stand_in_one_row_in_reach(
    page: "Page", address: str, rater: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_grading(page, address, rater)
    for mode in ("", "x", "q"):
        if mode:
            page.keyboard.press(mode)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        wide = page.locator(MAIN).evaluate(
            "main => [...main.querySelectorAll('*')]"
            ".filter(each => each.getBoundingClientRect().right > 391).length"
        )
        assert wide == 0, mode
        page.keyboard.press("Escape")
    boxes = [page.locator(f"[data-press='{grade}']").bounding_box() for grade in range(4)]
    tops = {round(box["y"]) for box in boxes if box}
    assert len(boxes) == 4
    assert len(tops) == 1
    assert min(tops) > 844 / 2
    assert all(box and box["width"] >= 44 and box["height"] >= 44 for box in boxes)


def test_on_a_phone_the_guidelines_stand_above_the_text(
    page: "Page", address: str, rater: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_grading(page, address, rater)
    page.locator("[data-press='g']").click()
    guidelines = page.locator(".gs-guidelines").bounding_box()
    text = page.locator(".gs-text").bounding_box()
    assert guidelines
    assert text
    assert guidelines["y"] + guidelines["height"] <= text["y"]


def test_the_rest_of_a_long_text_comes_by_key_or_click_and_grades_nothing(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    while not page.locator(".gs-all").count():
        press(page, "s")
    skipped, folded = pair_on_screen(page), len(page.locator(".gs-text").inner_text())
    page.keyboard.press("a")
    page.wait_for_selector(".gs-all", state="detached")
    assert len(page.locator(".gs-text").inner_text()) > folded
    assert pair_on_screen(page) == skipped
    assert grades_of(rater) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_keys_are_named_in_fields_only_where_there_are_some(
    page: "Page", address: str, rater: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    open_grading(page, address, rater)
    hints = [str(page.locator(".gs-comment").get_attribute("placeholder"))]
    page.keyboard.press("q")
    field = page.locator(".gs-reason:visible")
    hints.append(str(field.get_attribute("placeholder")))
    there = ["Comment \u00b7 M", "Why, if you like (Tab)"]
    assert hints == (there if width == 1280 else ["Comment", "Why, if you like"])
