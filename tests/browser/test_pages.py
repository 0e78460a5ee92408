"""Every page as a browser draws it: no crash, nothing from the network, nothing cut off."""

from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from builder.jobs import Job, start_job
from builder.people import ensure_person
from builder.workspace import Workspace
from ui.jobs import latest_job

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGES = ("", "grade", "import", "pool", "release", "leaderboard", "dashboard")
REHEARSAL = {"steps": 600, "seconds_a_step": 0.05}


@pytest.fixture(scope="module")
def dana(workspace: Workspace) -> str:
    return ensure_person(workspace, "Dana").name


def open_page(page: "Page", address: str, path: str, rater: str) -> None:
    page.goto(f"{address}/{path}?rater={quote(rater)}")
    page.wait_for_selector(".gs-head, [data-pair]", state="attached")
    page.wait_for_timeout(300)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_a_phone_and_asks_nobody_else(
    page: "Page", address: str, dana: str, path: str
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, address, path, dana)
    assert page.locator("[data-testid='stException'], [role='alert']").count() == 0
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    main = page.locator("[data-testid='stMain']")
    assert main.evaluate("main => main.scrollWidth <= main.clientWidth")
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_primary_button_can_be_read(page: "Page", address: str, dana: str, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    open_page(page, address, "pool", dana)
    button = page.get_by_role("button", name="Pool pairs")
    ink, ground = button.evaluate(
        "b => { const s = getComputedStyle(b); return [s.color, s.backgroundColor] }"
    )
    assert contrast(ink, ground) >= 4.5


def test_a_job_goes_on_without_its_tab_and_can_be_cancelled(
    page: "Page", address: str, dana: str, workspace: Workspace
) -> None:
    job_id = start_job(workspace, "pool", "builder.rehearsal:rehearse", REHEARSAL, dana)
    first = page.context.new_page()
    open_page(first, address, "pool", dana)
    first.get_by_text("Counting", exact=False).wait_for()
    first.close()
    open_page(page, address, "pool", dana)
    assert at_work(workspace, job_id).active
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Cancelled.").wait_for()
    assert at_work(workspace, job_id).state == "cancelled"


def at_work(workspace: Workspace, job_id: int) -> Job:
    job = latest_job(workspace, "pool")
    assert job is not None
    assert job.job_id == job_id
    return job


def contrast(first: str, second: str) -> float:
    """WCAG 2: (L1 + .05) / (L2 + .05), the lighter above the darker; 1 to 21."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    """WCAG 2: .2126 R + .7152 G + .0722 B of linear sRGB."""
    red, green, blue = (linear(int(part)) for part in colour[4:-1].split(","))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def linear(channel: int) -> float:
    share = channel / 255
    return share / 12.92 if share <= 0.03928 else float(((share + 0.055) / 1.055) ** 2.4)
