"""My grades and Guidelines with real keys: a change is a new row, a save is a version."""

from typing import TYPE_CHECKING
from urllib.parse import quote
from uuid import uuid4

from builder.judging.guidelines import current_guidelines
from builder.judging.history import own_history
from builder.judging.queue import next_pair, submit_grade
from builder.workspace import Workspace
from tests.browser.conftest import HOSTILE
from tests.browser.grading import open_grading, press

if TYPE_CHECKING:
    from playwright.sync_api import Page


def open_page(page: "Page", address: str, path: str, rater: str) -> None:
    page.goto(f"{address}/{path}?rater={quote(rater)}")
    page.wait_for_selector(".gs-head")


def graded(workspace: Workspace, rater: str, comment: str) -> int:
    """One grade by this rater; the pair."""
    pair = next_pair(workspace, rater)
    assert pair is not None
    submit_grade(workspace, rater, pair.pair_id, 1, token=uuid4().hex, comment=comment)
    return pair.pair_id


def test_a_grade_and_comment_are_changed_in_place(
    page: "Page", address: str, workspace: Workspace, rater: str
) -> None:
    pair_id = graded(workspace, rater, HOSTILE)
    open_page(page, address, "my-grades", rater)
    page.get_by_role("button", name="Change").click()
    page.get_by_role("radio", name="3 highly relevant").click()
    page.get_by_label("Comment").fill("on reflection :red[x]")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved: 3 highly relevant").wait_for()
    (judgment,) = own_history(workspace, rater).judgments
    assert (judgment.now.pair_id, judgment.now.grade) == (pair_id, 3)
    assert judgment.now.comment == "on reflection :red[x]"
    assert [(row.grade, row.comment) for row in judgment.earlier] == [(1, HOSTILE)]
    page.get_by_text("Before", exact=True).click()
    quotes = page.locator(".gs-quote").all_inner_texts()
    assert quotes == ["on reflection :red[x]", HOSTILE]
    assert page.title() != "owned"
    assert page.locator(".gs-entry img, .gs-entry script").count() == 0


def test_a_grade_leads_back_to_its_pair(
    page: "Page", address: str, workspace: Workspace, rater: str
) -> None:
    graded(workspace, rater, "")
    graded(workspace, rater, "")
    first = own_history(workspace, rater).judgments[1].now
    open_page(page, address, "my-grades", rater)
    page.get_by_role("link", name="Open on the grade page").nth(1).click()
    page.wait_for_selector("[data-pair]:not([data-pair=''])", state="attached")
    assert page.locator(".gs-title").inner_text().startswith(first.title[:9])


def test_a_search_finds_whatever_the_case(
    page: "Page", address: str, workspace: Workspace, rater: str
) -> None:
    graded(workspace, rater, "viel Ärger")
    graded(workspace, rater, "")
    open_page(page, address, "my-grades", rater)
    page.locator(".gs-entry").nth(1).wait_for()
    page.get_by_label("Search").fill("ÄRGER")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelectorAll('.gs-entry').length === 1")
    assert "viel Ärger" in page.locator(".gs-entry").inner_text()


def test_grades_carry_the_guidelines_under_which_they_were_given(
    page: "Page", address: str, workspace: Workspace, rater: str
) -> None:
    before = current_guidelines(workspace)
    assert before.version is not None
    open_grading(page, address, rater)
    press(page, "1")
    open_page(page, address, "guidelines", "Dana")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Text").fill(f"{before.text}\nAnd be kind.\n")
    page.get_by_label("What did you change?").fill("kindness")
    page.get_by_role("button", name="Save as a new version").click()
    page.get_by_text(f"Saved as version {before.version + 1}.").wait_for()
    # The word of the save may be there before the text is drawn anew.
    page.locator(".gs-rules").get_by_text("And be kind.").wait_for()
    assert workspace.guidelines_file.read_text(encoding="utf-8").endswith("And be kind.\n")
    open_grading(page, address, rater)
    press(page, "2")
    versions = [j.now.guidelines_version for j in own_history(workspace, rater).judgments]
    assert versions == [before.version + 1, before.version]
