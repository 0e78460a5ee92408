"""`make screenshots`: every page in the light, in the dark and on a phone, to be looked at.

The handful that the README shows goes to docs/screenshots; `--all FOLDER` takes every page in every
form. Needs a filled workspace (the demo's by default) and chromium.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from benchmarks.app_server import chromium, running_app
from benchmarks.generated import generated_workspace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]
WORKSPACE = ROOT / "data" / "workspace"
SHOWN = ROOT / "docs" / "screenshots"
COLOURS = 256
SETTLE_MS = 1500
ADMIN = "Dana"


class Form(NamedTuple):
    """How a page is looked at."""

    name: str
    width: int
    height: int
    scheme: str


LIGHT = Form("light", 1280, 800, "light")
DARK = Form("dark", 1280, 800, "dark")
PHONE = Form("phone", 390, 844, "light")
DARK_PHONE = Form("phone-dark", 390, 844, "dark")
# Page -> its address and what is there when it is drawn.
PAGES = {
    "overview": ("", ".gs-step"),
    "grade": ("grade", "[data-pair]"),
    "import": ("import", "[data-testid='stFileUploader']"),
    "logs-to-queries": ("logs-to-queries", ".gs-table"),
    "click-evidence": ("logs-to-queries?view=What+clicks+tell", ".gs-table"),
    "generate": ("generate", ".gs-entry"),
    "generate-review": ("generate?view=Review", ".gs-bar"),
    "pool": ("pool", ".gs-table"),
    "adjudicate": ("adjudicate", ".gs-bar"),
    "agreement": ("agreement", ".gs-verdict"),
    "raters": ("raters", ".gs-table"),
    "clicks-experts": ("clicks-experts", ".gs-table"),
    "ab-test": ("ab-test", ".gs-head"),
    "release": ("release", ".gs-table"),
    "leaderboard": ("leaderboard", ".vega-embed"),
    "dashboard": ("dashboard", ".vega-embed"),
    "my-grades": ("my-grades", ".gs-head"),
    "guidelines": ("guidelines", ".gs-head"),
    "queries": ("queries", ".gs-head"),
    "people": ("people", ".gs-table"),
    "activity": ("activity", ".gs-table"),
}
HANDFUL = (
    ("overview", LIGHT),
    ("logs-to-queries", LIGHT),
    ("generate-review", LIGHT),
    ("pool", LIGHT),
    ("grade", LIGHT),
    ("agreement", LIGHT),
    ("leaderboard", LIGHT),
    ("dashboard", LIGHT),
    ("dashboard", DARK),
    ("grade", PHONE),
)


def main() -> None:
    """Take the screenshots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", nargs="?", type=Path, default=WORKSPACE)
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="every page in every form")
    parser.add_argument("--rater", help="as whom; default: the first admin")
    asked = parser.parse_args()
    if not (asked.workspace / "workspace.toml").is_file():
        parser.exit(1, f"{asked.workspace} is no workspace; `make demo` makes one\n")
    folder = asked.all or SHOWN
    folder.mkdir(parents=True, exist_ok=True)
    forms = (LIGHT, DARK, PHONE, DARK_PHONE)
    wanted = [(page, form) for page in PAGES for form in forms] if asked.all else HANDFUL
    rater = asked.rater or _admin_of(asked.workspace)
    generated = [one for one in wanted if one[0].startswith("generate")]
    others = [one for one in wanted if one not in generated]
    with tempfile.TemporaryDirectory() as named, chromium() as browser:
        scratch = Path(named)
        _take_all(browser, asked.workspace, scratch, others, rater, folder)
        with generated_workspace(asked.workspace, scratch) as root:
            _take_all(browser, root, scratch, generated, rater, folder)


def _take_all(
    browser: "Browser",
    workspace: Path,
    scratch: Path,
    wanted: Sequence[tuple[str, Form]],
    rater: str,
    folder: Path,
) -> None:
    with running_app(workspace, scratch / "server.log") as address:
        for page, form in wanted:
            path, drawn = PAGES[page]
            url = f"{address}/{path}{'&' if '?' in path else '?'}{urlencode({'rater': rater})}"
            target = folder / f"{page}-{form.name}.png"
            _take(browser, url, drawn, form, target)
            print(target)


def _admin_of(workspace: Path) -> str:
    """The admin, who sees every page; a workspace that has none yet gets one."""
    from builder.people import ensure_person, has_role, people_to_pick
    from builder.workspace import open_workspace

    with open_workspace(workspace) as opened:
        admins = [person for person in people_to_pick(opened) if has_role(person, "admin")]
        return admins[0].name if admins else ensure_person(opened, ADMIN).name


def _take(browser: "Browser", url: str, drawn: str, form: Form, target: Path) -> None:
    context = browser.new_context(
        viewport={"width": form.width, "height": form.height},
        color_scheme="dark" if form.scheme == "dark" else "light",
    )
    tab = context.new_page()
    tab.goto(url)
    tab.wait_for_selector(drawn, state="attached")
    tab.wait_for_timeout(SETTLE_MS)
    _save(tab, target)
    context.close()


def _save(tab: "Page", target: Path) -> None:
    """A PNG of few colours: a third of the size, and nobody sees the difference."""
    from PIL import Image

    tab.screenshot(path=target)
    with Image.open(target) as picture:
        small = picture.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
    small.save(target, optimize=True)


if __name__ == "__main__":
    main()
