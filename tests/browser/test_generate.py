"""From the estimate to the drawing for experts in a real browser; server and database are asked."""

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.app_server import running_app
from builder.people import ensure_person
from builder.store.documents import insert_documents
from builder.synthesis.review import accept_all
from builder.workspace import (
    DATABASE_FILE,
    SETTINGS_FILE,
    Workspace,
    init_workspace,
    open_workspace,
)
from tests.browser.conftest import HOSTILE, PATIENCE_MS
from tests.browser.grading import DRAWN, HONEST_PAUSE_MS, press
from tests.builder.synthesis.runs import document
from tests.llm_server import LLMServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

KEY = "sk-key-of-the-browser-tests"
WRITTEN = (
    "how hot may the tank get",
    "pump noise at night",
    "who checks the gas supply",
    "radiator stays cold upstairs",
    "pressure valve opens too early",
    f"what does the document say {HOSTILE}",
)
"""What the model writes for the documents 0 to 5; of the last one the filters think little."""


def _write(body: Mapping[str, Any]) -> str:
    found = re.search(r"Boiler (\d)", body["messages"][-1]["content"])
    assert found is not None
    return json.dumps({"queries": [WRITTEN[int(found[1])]]})


@pytest.fixture(scope="module")
def model() -> Iterator[LLMServer]:
    """A language model that lets nobody in without the key."""
    with LLMServer(answer=_write, key=KEY, delay=0.05) as server:
        yield server


@pytest.fixture(scope="module")
def boilers(model: LLMServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Six documents and the model; nobody has graded anything."""
    root = tmp_path_factory.mktemp("generate") / "workspace"
    init_workspace(root, "generate").close()
    with (root / SETTINGS_FILE).open("a", encoding="utf-8") as settings:
        settings.write(f'\n[llm]\nmodel = "tiny"\nbase_url = "{model.base_url}"\n')
        settings.write('key_variable = "OUR_KEY"\n')
    with open_workspace(root) as workspace:
        ensure_person(workspace, "Dana")
        with workspace.store.write() as connection:
            insert_documents(connection, map(document, range(len(WRITTEN))))
        yield workspace


@pytest.fixture(scope="module")
def generate_page(
    browser: "Browser",  # noqa: ARG001 - no server where there is no browser
    boilers: Workspace,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    """The page's address; the key stands in the secrets of the app."""
    folder = tmp_path_factory.mktemp("app")
    (folder / "secrets.toml").write_text(f'OUR_KEY = "{KEY}"\n', encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STREAMLIT_SECRETS_FILES", str(folder / "secrets.toml"))
        with running_app(boilers.root, folder / "server.log") as url:
            yield f"{url}/generate?rater=Dana"


def rows_in(workspace: Workspace, query: str) -> list[tuple[Any, ...]]:
    """What a query finds in the database."""
    with sqlite3.connect(workspace.root / DATABASE_FILE) as connection:
        return connection.execute(query).fetchall()


def test_queries_are_estimated_sent_once_reviewed_and_drawn_for_experts(
    page: "Page", generate_page: str, boilers: Workspace, model: LLMServer
) -> None:
    page.set_default_timeout(PATIENCE_MS)
    page.goto(generate_page)
    _estimate(page)
    assert model.requests == []
    page.get_by_role("button", name="Send 6 calls").dblclick()
    page.get_by_text("5 queries wait for review.").wait_for()
    _check_run(boilers, model)
    _check_rejected(page)

    page.get_by_role("link", name="Review").click()
    page.wait_for_selector(f"{DRAWN}:not([data-pair=''])", state="attached")
    page.wait_for_timeout(HONEST_PAUSE_MS)
    press(page, "a")
    accepted = "SELECT text FROM queries WHERE source = 'synthetic'"
    assert len(rows_in(boilers, accepted)) == 1
    accept_all(boilers)

    page.goto(f"{generate_page}&view=Validation")
    # Without other documents nothing has to be searched for.
    others = page.get_by_role("spinbutton", name="Other documents of each query")
    others.fill("0")
    others.press("Enter")
    page.get_by_text("raters know which one").wait_for()
    page.get_by_role("button", name="Draw 1 query").click()
    page.get_by_text("0 of 1 drawn").wait_for()
    drawn = "SELECT count(*), sum(drawn) FROM validation_queries"
    assert rows_in(boilers, drawn) == [(5, 1)]
    asked = "SELECT count(*) FROM pairs WHERE open_slots > 0"
    assert rows_in(boilers, asked) == [(1,)]


def _estimate(page: "Page") -> None:
    """Ask for six documents without a round trip; other choices need an estimate of their own."""
    documents = page.get_by_label("How many documents")
    page.get_by_text("Hard limits, and more").click()
    page.locator(".st-key-synth_retrievers").get_by_label("Clear all").click()
    # The press ends the typing, and means what was typed.
    documents.fill("6")
    page.get_by_role("button", name="Estimate").click()
    page.get_by_text("will receive the texts of 6 documents").wait_for()
    documents.fill("5")
    documents.press("Enter")
    page.get_by_role("button", name="Send").wait_for(state="detached")
    documents.fill("6")
    documents.press("Enter")
    page.get_by_text("will receive the texts of 6 documents").wait_for()


def _check_run(workspace: Workspace, model: LLMServer) -> None:
    """Two presses were one run, each call is on record once, and the key is nowhere."""
    assert rows_in(workspace, "SELECT state, created_by FROM syntheses") == [("done", "Dana")]
    assert rows_in(workspace, "SELECT outcome, attempt FROM llm_calls") == [("ok", 1)] * 6
    assert len(model.requests) == 6
    verdicts = "SELECT text, verdict FROM synthetic_queries"
    told = dict(rows_in(workspace, verdicts))
    assert told == dict.fromkeys(WRITTEN[:5], "kept") | {WRITTEN[5]: "rejected"}
    for file in workspace.root.rglob("*"):
        if file.is_file():
            assert KEY.encode() not in file.read_bytes(), file


def _check_rejected(page: "Page") -> None:
    """What a model wrote is text, whatever it looks like."""
    table = page.locator(".gs-aside")
    assert '<script>document.title = "owned"</script>' in table.inner_text()
    assert 'speaks of "the document"' in table.inner_text()
    assert page.title() != "owned"
    assert table.locator("script, img").count() == 0
    assert KEY not in page.content()
