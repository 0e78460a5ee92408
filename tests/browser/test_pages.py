"""Every page as a browser draws it: no crash, nothing from the network, nothing cut off."""

import json
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from builder.jobs import Job, start_job
from builder.workspace import Workspace
from ui.jobs import latest_job

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGES = (
    "",
    "grade",
    "my-grades",
    "guidelines",
    "import",
    "generate",
    "pool",
    "release",
    "leaderboard",
    "dashboard",
    "ab-test",
)
REHEARSAL = {"steps": 2400, "seconds_a_step": 0.05}


@pytest.fixture
def dana() -> str:
    """The admin."""
    return "Dana"


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
    button = page.get_by_role("button", name="Preview")
    ink, ground = button.evaluate(
        "b => { const s = getComputedStyle(b); return [s.color, s.backgroundColor] }"
    )
    assert contrast(ink, ground) >= 4.5


def test_a_job_goes_on_without_its_tab_and_can_be_cancelled(
    page: "Page", address: str, dana: str, workspace: Workspace
) -> None:
    job_id = start_job(
        workspace, "pool", "tests.builder.rehearsal:rehearse", REHEARSAL, dana, "tests"
    )
    first = page.context.new_page()
    open_page(first, address, "pool", dana)
    first.get_by_text("Counting", exact=False).wait_for()
    first.close()
    open_page(page, address, "pool", dana)
    assert at_work(workspace, job_id).active
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Cancelled:").wait_for()
    assert at_work(workspace, job_id).state == "cancelled"


def test_a_file_is_uploaded_and_its_bad_rows_are_handed_back(
    page: "Page", address: str, dana: str, tmp_path: Path
) -> None:
    rows = tmp_path / "more documents.jsonl"
    rows.write_text('{"_id": "new", "title": "t", "text": "x"}\n{broken\n', encoding="utf-8")
    open_page(page, address, "import", dana)
    page.locator("input[type=file]").set_input_files(rows)
    page.get_by_text("more documents.jsonl").wait_for()
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("Finished").wait_for()
    counts = page.locator(".gs-table tbody tr").inner_text().split()
    assert counts == ["Documents", "2", "1", "0", "0", "1"]
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download the rows in quarantine").click()
    assert "{broken" in json.loads(Path(downloading.value.path()).read_text())["raw"]


def test_a_task_folder_is_uploaded(page: "Page", address: str, dana: str, tmp_path: Path) -> None:
    folder = tmp_path / "little"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "little-1", "title": "t", "text": "x"}')
    (folder / "queries.jsonl").write_text('{"_id": "little-q", "text": "x"}')
    (folder / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nlittle-q\tlittle-1\t1\n"
    )
    open_page(page, address, "import", dana)
    page.get_by_text("Task folder", exact=True).click()
    page.get_by_text("A folder as BEIR").wait_for()
    page.locator("input[webkitdirectory]").set_input_files(folder)
    page.get_by_text("corpus.jsonl", exact=False).last.wait_for()
    page.get_by_role("button", name="Import", exact=True).click()
    page.locator(".gs-table", has_text="little").wait_for()
    rows = [row.split()[:3] for row in page.locator(".gs-table tbody tr").all_inner_texts()]
    assert rows == [["Documents", "1", "1"], ["Queries", "1", "1"], ["Judgments", "1", "1"]]


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
