"""Pages run by Streamlit's own test runner, on a real workspace."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from builder.importers import import_corpus, import_judgments, import_queries
from builder.people import ensure_person
from builder.settings import Marks, add_marks
from builder.workspace import SETTINGS_FILE, Workspace, init_workspace, open_workspace
from online.ingest import import_events
from tests.workspaces import copied, new_workspace

APP = Path(__file__).resolve().parents[2] / "app.py"
SECONDS = 60

EVENTS = [
    {
        "timestamp": f"2026-11-{day:02}T12:00:00Z",
        "query": "file",
        "session_id": f"s{day}",
        "model_version": model,
        "retrieved_doc_ids": ["d0", "d1"],
        "clicked_doc_id": clicked,
        "click_rank": rank,
    }
    for day, model, clicked, rank in (
        (1, "bm25", "d0", 1),
        (2, "bm25", None, None),
        (2, "minilm", "d1", 2),
    )
]
OpenApp = Callable[[Path], AppTest]


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenApp]:
    """The app on a workspace folder, run once."""

    def run(root: Path) -> AppTest:
        monkeypatch.setenv("GOLDSMITH_WORKSPACE", str(root))
        return AppTest.from_file(str(APP), default_timeout=SECONDS).run()

    yield run
    st.cache_resource.clear()


@pytest.fixture
def empty_workspace(tmp_path: Path) -> Iterator[Workspace]:
    with new_workspace(tmp_path / "empty", "Empty") as workspace:
        yield workspace


@pytest.fixture
def filled_workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Six documents, two queries, graded pairs, three searches, and an admin called Dana."""
    with copied(_filled, tmp_path / "filled") as workspace:
        yield workspace


def _filled(root: Path) -> Workspace:
    init_workspace(root, "Filled").close()
    settings = root / SETTINGS_FILE
    # The test runner presses at once; the guard itself is tested in the browser.
    settings.write_text(settings.read_text().replace("other_key_ms = 150", "other_key_ms = 0"))
    add_marks(settings, Marks(events="simulated", grades="illustrative"))
    workspace = open_workspace(root)
    fill(workspace)
    return workspace


def fill(workspace: Workspace) -> None:
    folder = workspace.cache_folder
    documents = [
        {"_id": f"d{n}", "title": f"Title {n}", "text": f"file number {n}"} for n in range(6)
    ]
    queries = [{"_id": f"q{n}", "text": f"file {n}", "need": "A file."} for n in range(2)]
    _write(folder / "corpus.jsonl", map(json.dumps, documents))
    _write(folder / "queries.jsonl", map(json.dumps, queries))
    _write(folder / "qrels.tsv", (f"q{n % 2}\td{n}\t{n % 4}" for n in range(6)))
    import_corpus(workspace, folder / "corpus.jsonl")
    import_queries(workspace, folder / "queries.jsonl")
    import_judgments(workspace, folder / "qrels.tsv", rater="pool maker")
    _write(folder / "events.jsonl", map(json.dumps, EVENTS))
    quarantine = workspace.quarantine_folder
    import_events(workspace.lake, folder / "events.jsonl", quarantine_folder=quarantine)
    ensure_person(workspace, "Dana")


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("\n".join(lines), encoding="utf-8")
