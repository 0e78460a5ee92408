"""What tests of the grading page do in the browser."""

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from builder.store.judgments import GradeRow

if TYPE_CHECKING:
    from playwright.sync_api import Page

GradesOf = Callable[[str], list[GradeRow]]
HONEST_PAUSE_MS = 450
FIRST_LOOK_MS = 200
DRAWN = "[data-pair]"


def open_grading(page: "Page", address: str, rater: str, **more: str) -> None:
    """Open the page as `rater` and wait for a pair; `more` stands in the address."""
    page.goto(f"{address}/grade?{urlencode({'rater': rater, **more})}")
    page.wait_for_selector(f"{DRAWN}:not([data-pair=''])", state="attached")
    page.wait_for_timeout(FIRST_LOOK_MS)


def pair_on_screen(page: "Page") -> str:
    return str(page.locator(DRAWN).get_attribute("data-pair"))


def last_said(page: "Page") -> str:
    return page.locator(".gs-last").inner_text()


def press(page: "Page", *keys: str) -> None:
    """Press keys, wait until another pair is there, and read it for an honest while."""
    before = pair_on_screen(page)
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_selector(f"{DRAWN}:not([data-pair='{before}'])", state="attached")
    page.wait_for_timeout(HONEST_PAUSE_MS)


def wait_for_words(page: "Page", words: str) -> None:
    """Wait until the line about the last press holds these words."""
    page.wait_for_function(
        "words => document.querySelector('.gs-last')?.innerText.includes(words)", arg=words
    )
