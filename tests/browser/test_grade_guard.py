"""Double presses, held keys, reloads, second tabs, dead servers: nothing wrong is stored."""

import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.app_client import app_client
from benchmarks.app_server import free_port, start_app
from builder.backup import back_up_to, restore_backup
from builder.people import deactivate
from builder.workspace import Workspace
from tests.browser.conftest import RowsOf
from tests.browser.grading import (
    DRAWN,
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
        assert "ignored" in last_said(page)
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


def test_the_second_half_of_a_double_reason_grades_nothing(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    page.keyboard.press("x")
    page.keyboard.press("1")
    page.wait_for_timeout(100)
    page.keyboard.press("1")
    page.wait_for_timeout(700)
    assert "ignored" in last_said(page)
    assert grades_of(rater) == []


@pytest.mark.parametrize("key", ["1", "s"])
def test_a_held_key_counts_once(
    page: "Page", address: str, rater: str, grades_of: GradesOf, key: str
) -> None:
    open_grading(page, address, rater)
    page.keyboard.down(key)
    for _ in range(25):
        page.wait_for_timeout(33)
        page.keyboard.down(key)  # without an up in between the browser calls it a repeat
    page.keyboard.up(key)
    page.wait_for_timeout(HONEST_PAUSE_MS)
    assert [row.grade for row in grades_of(rater)] == ([1] if key == "1" else [])
    assert page.locator("[data-press='u']").is_enabled()
    press(page, "u")
    assert page.locator("[data-press='u']").is_disabled(), "one press, one undo"


def test_a_reload_loses_neither_grade_nor_draft_and_shows_the_same_pair(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    press(page, "2")
    waiting = pair_on_screen(page)
    page.keyboard.press("m")
    page.keyboard.type("half a thought")
    page.reload()
    page.wait_for_selector(f"{DRAWN}:not([data-pair=''])", state="attached")
    assert pair_on_screen(page) == waiting
    assert page.locator(".gs-comment").input_value() == "half a thought"
    assert len(grades_of(rater)) == 1


def test_a_second_tab_cannot_grade_the_pair_again(
    page: "Page", address: str, rater: str, grades_of: GradesOf
) -> None:
    open_grading(page, address, rater)
    other = page.context.new_page()
    open_grading(other, address, rater)
    press(page, "3")
    press(other, "0")
    assert "graded elsewhere: your 3 stands" in last_said(other)
    assert [row.grade for row in grades_of(rater)] == [3]


def test_a_late_press_for_another_pair_than_the_one_on_screen_is_refused(
    address: str, rater: str, grades_of: GradesOf
) -> None:
    with app_client(address, rater) as client:
        first = client.pair
        for key in "21":
            time.sleep(HONEST_PAUSE_MS / 1000)
            client.press(key, pair=first)
        assert "ignored" in client.said
    assert [row.grade for row in grades_of(rater)] == [2]


def test_a_late_press_for_the_first_showing_of_a_pair_is_refused_in_its_second(
    address: str, rater: str, grades_of: GradesOf
) -> None:
    with app_client(address, rater) as client:
        first, token = client.pair, client.bar["token"]
        for key in "2u":
            time.sleep(HONEST_PAUSE_MS / 1000)
            client.press(key)
        assert client.pair == first
        time.sleep(HONEST_PAUSE_MS / 1000)
        client.press("3", token=token)
        assert "ignored" in client.said
    assert grades_of(rater) == []


@pytest.mark.parametrize(
    "told",
    [
        {"key": "7"},
        {"key": ""},
        {"key": "x", "choice": 9},
        {"key": "x", "choice": "1"},
        {"key": "q", "choice": 3},
        {"key": "grade"},
        {"key": "01"},
        {"key": None, "looked": -4},
    ],
)
def test_a_forged_press_stores_nothing(
    address: str, rater: str, grades_of: GradesOf, told: dict[str, Any]
) -> None:
    with app_client(address, rater) as client:
        before = client.pair
        time.sleep(HONEST_PAUSE_MS / 1000)
        client.press(**{"key": "", **told})
        assert client.pair == before
        assert client.said
    assert grades_of(rater) == []


def end(server: subprocess.Popen[bytes]) -> None:
    server.kill()
    server.wait(10)


def test_a_server_that_is_killed_loses_no_grade_and_the_page_comes_back(
    page: "Page",
    workspace: Workspace,
    rater: str,
    grades_of: GradesOf,
    tmp_path: Path,
    after: Callable[[Callable[[], object]], object],
) -> None:
    port = free_port()
    server = start_app(workspace.root, tmp_path / "first.log", port)
    after(partial(end, server))
    open_grading(page, f"http://127.0.0.1:{port}", rater)
    press(page, "3")
    waiting = pair_on_screen(page)
    page.keyboard.press("m")
    page.keyboard.type("while it was down")
    page.keyboard.press("Escape")
    end(server)
    page.keyboard.press("2")
    wait_for_words(page, "No answer to 2")
    assert [row.grade for row in grades_of(rater)] == [3]
    again = start_app(workspace.root, tmp_path / "second.log", port)
    after(partial(end, again))
    page.wait_for_function("!document.querySelector('.gs-last').innerText.includes('No answer')")
    assert pair_on_screen(page) == waiting
    page.wait_for_timeout(HONEST_PAUSE_MS)
    press(page, "1")
    assert sorted((row.grade, row.comment) for row in grades_of(rater)) == [
        (1, "while it was down"),
        (3, ""),
    ]


def test_a_press_after_a_restore_is_told_of_it_and_not_saved(
    page: "Page",
    address: str,
    rater: str,
    grades_of: GradesOf,
    workspace: Workspace,
    tmp_path: Path,
) -> None:
    copy = back_up_to(workspace, tmp_path / "copy.db").file
    open_grading(page, address, rater)
    first = pair_on_screen(page)
    press(page, "2")
    restore_backup(workspace.root, copy)
    page.keyboard.press("3")
    wait_for_words(page, "restored from a copy: this press was not saved")
    assert grades_of(rater) == []
    assert pair_on_screen(page) == first
    page.wait_for_timeout(HONEST_PAUSE_MS)
    press(page, "1")
    assert "saved" in last_said(page)
    assert "restored" not in last_said(page)
    assert [row.grade for row in grades_of(rater)] == [1]


@pytest.mark.parametrize("view", ["", "list"])
def test_who_is_deactivated_while_grading_is_told_once(
    page: "Page", address: str, rater: str, rows_of: RowsOf, workspace: Workspace, view: str
) -> None:
    open_grading(page, address, rater, view=view)
    deactivate(workspace, rater, None)
    page.keyboard.press("2")
    page.get_by_text("is not active here any more").wait_for()
    page.wait_for_timeout(HONEST_PAUSE_MS)
    assert page.locator(".gs-note.gs-error").count() == 1
    assert page.get_by_role("heading", name="Who are you?").is_visible()
    assert rows_of(rater) == []
