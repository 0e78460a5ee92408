"""Real keys in a real browser: what a rater presses is what the database holds."""

from typing import TYPE_CHECKING

import pytest

from builder.judging.queue import progress_of
from builder.workspace import Workspace
from tests.browser.conftest import RowsOf
from tests.browser.grading import (
    HONEST_PAUSE_MS,
    GradesOf,
    last_said,
    open_grading,
    pair_on_screen,
    press,
    wait_for_words,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_each_key_grades_saves_and_moves_on(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    for key in "3210":
        press(page, key)
        assert last_said(page).startswith(f"Last: {key} on")
        assert last_said(page).endswith("saved")
    assert sorted(str(row.grade) for row in grades_of(rater)) == list("0123")


def test_the_keys_stand_on_the_buttons_and_a_click_is_a_press(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    printed = page.locator(".gs-bar kbd:visible").all_inner_texts()
    assert printed[:8] == ["0", "1", "2", "3", "U", "S", "X", "Q"]
    before = pair_on_screen(page)
    page.locator("[data-press='2']").click()
    page.wait_for_selector(f"[data-pair]:not([data-pair='{before}'])", state="attached")
    assert [row.grade for row in grades_of(rater)] == [2]


def test_undo_says_what_it_undid_and_brings_the_pair_back(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    first = pair_on_screen(page)
    assert page.locator("[data-press='u']").is_disabled()
    page.locator(".gs-comment").fill("a comment")
    page.keyboard.press("Enter")
    press(page, "0")
    press(page, "u")
    assert pair_on_screen(page) == first
    assert "your grade of" in last_said(page)
    assert page.locator(".gs-comment").input_value() == "a comment"
    assert grades_of(rater) == []
    press(page, "3")
    assert [(row.grade, row.comment) for row in grades_of(rater)] == [(3, "a comment")]


def test_a_skip_is_no_grade_and_can_be_undone(
    page: "Page", address: str, rater: str, workspace: Workspace
) -> None:
    open_grading(page, address, rater)
    first = pair_on_screen(page)
    press(page, "s")
    assert "Skipped" in last_said(page)
    progress = progress_of(workspace, rater)
    assert (progress.graded, progress.skipped) == (0, 1)
    press(page, "u")
    assert pair_on_screen(page) == first
    assert "the skip of" in last_said(page)


def test_cannot_judge_asks_why_by_keys(
    page: "Page", address: str, rater: str, workspace: Workspace
) -> None:
    open_grading(page, address, rater)
    first = pair_on_screen(page)
    page.keyboard.press("x")
    assert page.locator(".gs-choices").is_visible()
    assert page.locator(".gs-grades").is_hidden()
    page.keyboard.press("Escape")
    assert page.locator(".gs-grades").is_visible()
    press(page, "x", "2")
    assert page.locator(".gs-grades").is_visible()
    assert progress_of(workspace, rater).cannot_judge == 1
    press(page, "u")
    assert pair_on_screen(page) == first
    assert "judge" in last_said(page)


def test_another_reason_is_typed(page: "Page", address: str, rater: str, rows_of: RowsOf) -> None:
    open_grading(page, address, rater)
    page.keyboard.press("x")
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    assert page.locator(".gs-choices").is_visible(), "an empty reason is none"
    page.keyboard.type("2 torn pages")
    press(page, "Enter")
    assert [(row.outcome, row.reason) for row in rows_of(rater)] == [
        ("cannot_judge", "2 torn pages")
    ]


def test_a_query_that_is_unclear_is_left_with_its_pairs(
    page: "Page", address: str, rater: str
) -> None:
    open_grading(page, address, rater)
    query = page.locator(".gs-query").inner_text()
    page.keyboard.press("q")
    page.keyboard.press("Tab")
    page.keyboard.type("1 word only")
    page.keyboard.press("Enter")
    press(page, "1")
    assert page.locator(".gs-query").inner_text() != query
    assert "unclear" in last_said(page)
    press(page, "u")
    assert page.locator(".gs-query").inner_text() == query
    assert "Undone" in last_said(page)


def test_keys_are_off_while_a_comment_is_written(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    before = pair_on_screen(page)
    page.keyboard.press("m")
    page.keyboard.type("Version 3 of 2usxqgl")
    assert pair_on_screen(page) == before
    page.keyboard.press("Escape")
    page.wait_for_timeout(HONEST_PAUSE_MS)
    press(page, "1")
    (row,) = grades_of(rater)
    assert (row.grade, row.comment) == (1, "Version 3 of 2usxqgl")
    assert page.locator(".gs-comment").input_value() == ""


def test_enter_leaves_the_comment_without_grading(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    page.keyboard.press("m")
    page.keyboard.type("so so")
    page.keyboard.press("Enter")
    page.wait_for_timeout(HONEST_PAUSE_MS)
    assert grades_of(rater) == []
    press(page, "1")
    assert [row.comment for row in grades_of(rater)] == ["so so"]


def test_guidelines_stand_beside_the_pair_until_they_are_sent_away(
    page: "Page", address: str, rater: str
) -> None:
    open_grading(page, address, rater)
    guidelines = page.locator(".gs-guidelines")
    assert guidelines.is_hidden()
    page.keyboard.press("g")
    assert guidelines.is_visible()
    pair, beside = page.locator(".gs-doc").bounding_box(), guidelines.bounding_box()
    assert pair
    assert beside
    assert beside["x"] > pair["x"] + pair["width"]
    press(page, "2")
    assert guidelines.is_visible()
    page.reload()
    page.wait_for_selector(".gs-guidelines", state="visible")
    page.wait_for_selector("[data-pair]:not([data-pair=''])", state="attached")
    page.keyboard.press("g")
    assert guidelines.is_hidden()


def test_an_address_jumps_to_a_pair_where_a_grade_is_an_edit(
    page: "Page", address: str, rater: str, rows_of: RowsOf, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    first = pair_on_screen(page)
    press(page, "1")
    waiting = pair_on_screen(page)
    open_grading(page, address, rater, pair=first)
    assert pair_on_screen(page) == first
    assert page.locator(".gs-own").inner_text().startswith("1")
    press(page, "3")
    assert pair_on_screen(page) == waiting
    assert "pair=" not in page.url
    assert [row.grade for row in grades_of(rater)] == [3]
    assert [row.grade for row in rows_of(rater)] == [1, 3], "the old one stays in the log"


def test_a_pair_that_was_jumped_to_can_be_left_as_it_was(
    page: "Page", address: str, rater: str, rows_of: RowsOf
) -> None:
    open_grading(page, address, rater)
    first = pair_on_screen(page)
    press(page, "1")
    open_grading(page, address, rater, pair=first)
    press(page, "s")
    assert "Left as it was: 1" in last_said(page)
    assert [row.outcome for row in rows_of(rater)] == ["grade"]


def test_a_pair_that_one_has_graded_cannot_become_one_that_one_cannot_judge(
    page: "Page", address: str, rater: str, rows_of: RowsOf
) -> None:
    open_grading(page, address, rater)
    first = pair_on_screen(page)
    press(page, "1")
    open_grading(page, address, rater, pair=first)
    page.keyboard.press("x")
    page.keyboard.press("1")
    wait_for_words(page, "another grade replaces yours")
    assert pair_on_screen(page) == first
    assert [row.outcome for row in rows_of(rater)] == ["grade"]


def test_what_was_written_before_a_skip_is_kept_as_its_reason(
    page: "Page", address: str, rater: str, rows_of: RowsOf
) -> None:
    open_grading(page, address, rater)
    first = pair_on_screen(page)
    page.keyboard.press("m")
    page.keyboard.type("look at the table again")
    page.keyboard.press("Enter")
    press(page, "s")
    (row,) = rows_of(rater)
    assert (row.outcome, row.reason) == ("skip", "look at the table again")
    open_grading(page, address, rater, pair=first)
    assert page.locator(".gs-comment").input_value() == "look at the table again"


@pytest.mark.parametrize(
    ("key", "code", "grade"),
    [
        ("\u00e9", "Digit2", 2),
        ("\u0663", "Digit3", 3),
        ("1", "Numpad1", 1),
        ("\u0447", "KeyX", None),
    ],
)
def test_keys_count_by_their_place_where_a_keyboard_gives_other_letters(
    page: "Page", address: str, rater: str, key: str, code: str, grade: int | None
) -> None:
    """The upper row of a French keyboard, Arabic digits, the number block, a Cyrillic X."""
    open_grading(page, address, rater)
    page.locator("body").dispatch_event("keydown", {"key": key, "code": code, "bubbles": True})
    if grade is None:
        assert page.locator(".gs-choices").is_visible()
    else:
        wait_for_words(page, f"Last: {grade} on")


def test_a_grade_carries_its_time_and_the_guidelines_it_was_made_under(
    page: "Page", address: str, rater: str, rows_of: RowsOf
) -> None:
    open_grading(page, address, rater)
    page.wait_for_timeout(500)
    press(page, "2")
    (row,) = rows_of(rater)
    assert row.guidelines_version == 1
    assert row.milliseconds is not None
    assert 500 <= row.milliseconds < 120_000


def test_an_address_of_no_pair_says_so_and_goes_on(page: "Page", address: str, rater: str) -> None:
    open_grading(page, address, rater, pair="999999999")
    wait_for_words(page, "names no pair of yours")


def test_only_queries_of_the_chosen_tag_come(page: "Page", address: str, rater: str) -> None:
    open_grading(page, address, rater, tag="second")
    assert "second" in page.locator(".gs-progress").inner_text()
    page.get_by_label("Tag").click()
    page.get_by_role("option", name="All tags").click()
    page.wait_for_function("!location.search.includes('tag=')")


def test_the_chosen_tag_outlives_a_look_at_my_grades(
    page: "Page", address: str, rater: str
) -> None:
    open_grading(page, address, rater, tag="second")
    for chosen in ("second", "All tags"):
        page.get_by_role("link", name="My grades").click()
        page.get_by_role("heading", name="My grades").wait_for()
        assert "tag=" not in page.url
        page.get_by_role("link", name="Grade", exact=True).click()
        page.wait_for_selector("[data-pair]:not([data-pair=''])", state="attached")
        assert page.get_by_label("Tag").input_value().startswith(chosen)
        assert ("tag=second" in page.url) == (chosen == "second")
        if chosen == "second":
            page.get_by_label("Tag").click()
            page.get_by_role("option", name="All tags").click()
            page.wait_for_function("!location.search.includes('tag=')")
