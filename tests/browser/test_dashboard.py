"""The Dashboard in a browser: pictures of charts as they are seen, and events that come in."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest

from builder.workspace import Workspace
from online.lake import Lake
from tests.online.logs import lake_of
from ui.charts import OKABE_ITO

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MODEL = "dash-\u2066<b>x</b> & $x$"


def _searches() -> Iterator[dict[str, Any]]:
    for n in range(60):
        clicked = n % 2
        yield {
            "timestamp": f"2026-11-{1 + n % 6:02}T12:00:00Z",
            "session_id": f"dash{n}",
            "model_version": MODEL,
            "n_clicks": clicked,
            "n_ranked_clicks": clicked,
            "best_click_rank": clicked or None,
            "first_click_rank": clicked or None,
        }


@pytest.fixture
def lake(workspace: Workspace, tmp_path: Path) -> Lake:
    (tmp_path / "events").symlink_to(workspace.root / "events", target_is_directory=True)
    (workspace.root / "events").mkdir(exist_ok=True)
    return lake_of(tmp_path, _searches())


@pytest.fixture
def dark_phone(browser: "Browser") -> "Iterator[Page]":
    context = browser.new_context(
        viewport={"width": 390, "height": 844},
        color_scheme="dark",
        timezone_id="America/New_York",
    )
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


@pytest.mark.usefixtures("lake")
def test_dashboard_gives_charts_as_seen_and_counts_what_comes_in(
    dark_phone: "Page", address: str, tmp_path: Path
) -> None:
    page = dark_phone
    page.goto(f"{address}/dashboard?rater=Dana&model={quote(MODEL)}")
    png, svg = (_download(page, form, tmp_path) for form in ("PNG", "SVG"))
    assert png.read_bytes().startswith(b"\x89PNG")
    assert int.from_bytes(png.read_bytes()[16:20]) > 3 * 300
    drawing = ElementTree.fromstring(svg.read_text(encoding="utf-8"))  # noqa: S314 - our own
    texts = [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert {"CTR by day", "1 Nov", "5 Nov"} <= set(texts)
    assert MODEL in " ".join(filter(None, texts))
    ground = drawing.find("{http://www.w3.org/2000/svg}rect")
    assert ground is not None
    assert ground.get("fill") == page.evaluate(
        "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    )
    assert any(colour in svg.read_text(encoding="utf-8") for colour in OKABE_ITO)
    lake_of(tmp_path, [{"timestamp": "2026-11-09T12:00:00Z", "model_version": MODEL}])
    page.get_by_text("New events, as of").wait_for()
    page.locator(".gs-tile-value", has_text="61").first.wait_for()


def _download(page: "Page", form: str, folder: Path) -> Path:
    button = page.get_by_role("button", name=f"CTR by day as {form}")
    with page.expect_download() as downloading:
        button.click()
    file = folder / downloading.value.suggested_filename
    downloading.value.save_as(file)
    return file
