"""Agreement and Raters in a real browser: drawn, filtered by the address, taken away as a file."""

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote
from uuid import uuid4

import pytest

from builder.judging.queue import submit_grade
from builder.people import ensure_person
from builder.people.excluding import find_exclusion
from builder.workspace import Workspace
from tests.browser.conftest import HOSTILE, N_PAIRS

if TYPE_CHECKING:
    from playwright.sync_api import Page

ONE, OTHER = "trusted one", "trusted other"


@pytest.fixture(scope="module")
def graded(workspace: Workspace) -> Workspace:
    """Two raters graded all pairs; on every fourth they differ by three grades."""
    for rater in (ONE, OTHER):
        ensure_person(workspace, rater)
    for pair_id in range(1, N_PAIRS + 1):
        for rater in (ONE, OTHER):
            differs = pair_id % 4 == 0
            grade = (0 if rater == ONE else 3) if differs else pair_id % 4
            comment = HOSTILE if differs else ""
            submit_grade(workspace, rater, pair_id, grade, token=uuid4().hex, comment=comment)
    return workspace


def open_page(page: "Page", address: str, path: str, query: str = "") -> None:
    page.goto(f"{address}/{path}?rater=Dana{query}")
    page.wait_for_selector(".gs-head")


def test_agreement_is_drawn_and_filtered_by_the_address(
    page: "Page", address: str, graded: Workspace
) -> None:
    del graded
    open_page(page, address, "agreement", "&disputed=true")
    page.wait_for_selector(".gs-verdict")
    page.wait_for_selector(".gs-dissent")
    canvas = page.locator(".st-key-kappas [data-testid=stVegaLiteChart]")
    canvas.locator("canvas, svg").first.wait_for()
    box = canvas.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) > 50
    assert page.title() != "owned"
    assert page.locator(".gs-dissent img, .gs-dissent script").count() == 0
    assert HOSTILE.split()[0] in page.locator(".gs-dissent .gs-quote").first.inner_text()
    page.get_by_text("Nominal", exact=True).click()
    page.wait_for_function("location.search.includes('weights=Nominal')")
    page.get_by_text("query", exact=True).click()
    page.wait_for_function("location.search.includes('by=query')")
    assert page.get_by_role("switch", name="Disputed only").is_checked()


def test_disagreements_are_taken_away_as_a_file(
    page: "Page", address: str, graded: Workspace, tmp_path: Path
) -> None:
    del graded
    open_page(page, address, "agreement")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
    file = tmp_path / "disagreements.csv"
    download.value.save_as(file)
    rows = list(csv.DictReader(io.StringIO(file.read_text("utf-8-sig"))))
    ours = [row for row in rows if row["rater"] in (ONE, OTHER) and row["highest"] == "3"]
    assert len(ours) >= N_PAIRS // 4 * 2
    assert HOSTILE in {row["comment"].removeprefix("'") for row in ours}


def test_a_disputed_pair_leads_to_its_decision(
    page: "Page", address: str, graded: Workspace
) -> None:
    del graded
    open_page(page, address, "agreement", "&disputed=true")
    page.get_by_role("link", name="Decide", exact=True).first.click()
    page.wait_for_function("location.pathname.endsWith('/adjudicate')")
    page.wait_for_selector(".gs-sides-said, .gs-sides")


def test_a_rater_is_left_out_and_comes_back(page: "Page", address: str, graded: Workspace) -> None:
    open_page(page, address, "raters", f"&profile={quote(OTHER)}")
    page.wait_for_selector(".gs-confusion")
    page.get_by_label("Reason, which goes into each release").fill("a trial :red[x]")
    page.keyboard.press("Tab")
    page.get_by_role("button", name=f"Leave out {OTHER}").click()
    page.get_by_text(f"{OTHER} is left out.").wait_for()
    exclusion = find_exclusion(graded, OTHER)
    assert exclusion is not None
    assert (exclusion.reason, exclusion.by) == ("a trial :red[x]", "Dana")
    page.get_by_role("button", name="Let the grades count again").click()
    page.get_by_text(f"The grades of {OTHER} count again.").wait_for()
    assert find_exclusion(graded, OTHER) is None


@pytest.mark.parametrize("path", ["agreement", "raters"])
def test_nothing_is_wider_than_a_phone(
    page: "Page", address: str, graded: Workspace, path: str
) -> None:
    del graded
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, address, path, f"&profile={quote(ONE)}")
    page.wait_for_selector(".gs-dissent" if path == "agreement" else ".gs-confusion")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = "document.querySelector('[data-testid=stMain]')"
    assert page.evaluate(f"{wide}.scrollWidth <= {wide}.clientWidth")
