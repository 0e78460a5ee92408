"""A real server on a workspace of known pairs, and a real browser."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pytest

from benchmarks.app_server import CHROMIUM, CHROMIUM_FLAGS, chromium, running_app
from builder.importers import import_corpus, import_judgments, import_queries
from builder.people import ensure_person
from builder.store.judgments import GradeRow, current_grades
from builder.workspace import (
    DATABASE_FILE,
    SETTINGS_FILE,
    Workspace,
    init_workspace,
    open_workspace,
)
from tests.workspaces import ask_raters

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

HOSTILE = (
    ':red[x] $x^2$ <script>document.title = "owned"</script> <img src=x onerror="alert(1)"> '
    "![i](http://127.0.0.1:9/i.png) **b** `c` \u202eevil\u202c"
)
HOSTILE_NAME = ":red[g] <b>x</b>"
N_PAIRS = 40
PATIENCE_MS = 120_000
"""How long a page may take on a loaded machine; only a failing test waits so long."""

STORES = "local_storage,indexeddb,cache_storage,service_workers"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here needs the browser."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    if not CHROMIUM.exists():
        # CI brings a browser: there, its absence is a fault.
        assert "GOLDSMITH_REQUIRE_BROWSER" not in os.environ, f"{CHROMIUM} is not here"
        pytest.skip(f"{CHROMIUM} is not here")
    with chromium() as launched:
        yield launched


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """40 pairs of two queries that every rater may grade, all texts hostile; Dana is the admin."""
    root = tmp_path_factory.mktemp("browser") / "workspace"
    init_workspace(root, "browser").close()
    ask_raters(root, 100)
    settings = root / SETTINGS_FILE
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace('0 = "not relevant"', f'0 = "{HOSTILE_NAME}"'), "utf-8")
    (root / "guidelines.md").write_text(f"How we grade\n\n{HOSTILE}\n", encoding="utf-8")
    with open_workspace(root) as opened:
        ensure_person(opened, "Dana")
        _fill(opened, root / "cache")
        yield opened


def _fill(workspace: Workspace, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    ids = [f"d{n:02}" for n in range(N_PAIRS)]
    documents = [{"_id": i, "title": f"Title {i} {HOSTILE}", "text": HOSTILE} for i in ids]
    documents[0]["text"] += " and so on" * 400
    files = {name: folder / name for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv")}
    lines = [json.dumps(document) for document in documents]
    files["corpus.jsonl"].write_text("\n".join(lines), encoding="utf-8")
    queries = [
        {"_id": "q1", "text": f"red {HOSTILE}", "need": HOSTILE, "tags": ["first", HOSTILE]},
        {"_id": "q2", "text": f"blue {HOSTILE}", "need": HOSTILE, "tags": ["second", HOSTILE]},
    ]
    files["queries.jsonl"].write_text("\n".join(map(json.dumps, queries)), encoding="utf-8")
    qrels = [f"q{1 + n // (N_PAIRS // 2)}\t{i}\t0" for n, i in enumerate(ids)]
    files["qrels.tsv"].write_text("\n".join(qrels), encoding="utf-8")
    import_corpus(workspace, files["corpus.jsonl"])
    import_queries(workspace, files["queries.jsonl"])
    import_judgments(workspace, files["qrels.tsv"], rater="pool maker")


@pytest.fixture(scope="session")
def address(
    browser: "Browser",  # noqa: ARG001 - no server where there is no browser
    workspace: Workspace,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    with running_app(workspace.root, tmp_path_factory.mktemp("log") / "server.log") as url:
        yield url


@pytest.fixture(scope="session")
def profile(
    browser: "Browser", tmp_path_factory: pytest.TempPathFactory
) -> Iterator["BrowserContext"]:
    """One profile for all tests: its cache holds Streamlit's scripts, read and compiled once.

    In contexts of their own, to load and compile them again is half of the work of all tests.
    """
    opened = browser.browser_type.launch_persistent_context(
        tmp_path_factory.mktemp("profile"),
        executable_path=str(CHROMIUM),
        args=list(CHROMIUM_FLAGS),
        viewport={"width": 1280, "height": 800},
    )
    opened.set_default_timeout(PATIENCE_MS)
    yield opened
    opened.close()


@pytest.fixture
def page(profile: "BrowserContext") -> Iterator["Page"]:
    """A page of somebody who was never here: no cookies, and nothing in the browser's stores."""
    profile.clear_cookies()
    opened = profile.new_page()
    everything = {"origin": "*", "storageTypes": STORES}
    profile.new_cdp_session(opened).send("Storage.clearDataForOrigin", everything)
    yield opened
    # The first page is the profile's own: without any, the browser would end.
    for left in profile.pages[1:]:
        left.close()


@pytest.fixture
def grades_of(workspace: Workspace) -> Callable[[str], list[GradeRow]]:
    """What a rater's grades are in the database."""

    def read(rater: str) -> list[GradeRow]:
        with workspace.store.read() as connection:
            current = current_grades(connection)
            return [row for row in current if row.rater == rater and row.outcome == "grade"]

    return read


class Row(NamedTuple):
    """One row of the log of judgments."""

    pair_id: int
    outcome: str
    grade: int | None
    comment: str
    reason: str
    milliseconds: int | None
    guidelines_version: int | None


RowsOf: TypeAlias = Callable[[str], list[Row]]


@pytest.fixture
def rows_of(workspace: Workspace) -> RowsOf:
    """All that a rater ever submitted, in its order."""

    def read(rater: str) -> list[Row]:
        asked = (
            f"SELECT {', '.join(Row._fields)} FROM judgments JOIN people ON person_id = rater_id "  # noqa: S608
            "WHERE name = ? ORDER BY judgment_id"
        )
        with sqlite3.connect(workspace.root / DATABASE_FILE) as connection:
            return [Row(*row) for row in connection.execute(asked, (rater,))]

    return read


@pytest.fixture
def after() -> Iterator[Callable[[Callable[[], object]], object]]:
    """Takes what is to be done when the test is over, whatever came of it."""
    with ExitStack() as stack:
        yield stack.callback


@pytest.fixture
def rater(workspace: Workspace, request: pytest.FixtureRequest) -> str:
    """Somebody who has graded nothing yet, called as the test."""
    return ensure_person(workspace, request.node.name[-60:]).name
