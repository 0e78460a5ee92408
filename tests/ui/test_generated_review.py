"""Review of generated queries: nothing of them is markup, and only what was meant is stored."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.errors import BuilderError
from builder.judging.presses import PressGuard
from builder.people import Person, ensure_person
from builder.store.documents import insert_documents
from builder.store.synthetic_queries import Finding, Judged, note_judged
from builder.synthesis.review import ReviewProgress, look
from builder.workspace import Workspace, init_workspace
from evals.records import Document
from tests.builder.synthesis.written import Answer, write_synthesis
from tests.ui.conftest import OpenApp
from tests.workspaces import copied
from ui.presses import Press
from ui.synthesis.review_card import candidate_html
from ui.synthesis.review_presses import press_key
from ui.synthesis.review_state import Reviewing

HOSTILE = '<script>alert(1)</script> <img src=x onerror=y> :red[x] **b** \u202eevil "'


def _make(folder: Path) -> Workspace:
    """Four candidates of two types: one flagged, one that the filters rejected."""
    workspace = init_workspace(folder, "review")
    ensure_person(workspace, "Dana")
    with workspace.store.write() as connection:
        text = f"{HOSTILE} logs are kept " + "and so on " * 300
        insert_documents(connection, [Document("d1", HOSTILE, text)])
    prompts = ("question", "question", "keyword", "question")
    texts = (f"kept logs {HOSTILE}", "second", "third", "fourth")
    answers = [Answer("d1", [words], prompt) for words, prompt in zip(texts, prompts, strict=True)]
    write_synthesis(workspace, answers, model="tiny")
    flag = (Finding("not_found", HOSTILE),)
    measured = {"leakage": 0.25, "ranks": {"bm25": 40, "minilm": None}}
    with workspace.store.write() as connection:
        judged = [Judged(1, flags=flag, measured=measured), Judged(2), Judged(3)]
        note_judged(connection, [*judged, Judged(4, (Finding("length", HOSTILE),))])
    return workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with copied(_make, tmp_path / "workspace") as opened:
        yield opened


@pytest.fixture
def dana(workspace: Workspace) -> Person:
    return ensure_person(workspace, "Dana")


def shown(workspace: Workspace) -> Reviewing:
    reviewing = Reviewing("Dana", PressGuard(0, 0))
    reviewing.show(look(workspace).candidate)
    return reviewing


def press(reviewing: Reviewing, key: str, comment: str = "") -> Press:
    return Press(reviewing.name, key, key, reviewing.token, comment, 0, "", 900)


def test_nothing_of_query_document_and_flags_is_markup(workspace: Workspace) -> None:
    sight = look(workspace)
    assert sight.candidate is not None
    html = candidate_html(sight.candidate, sight)
    assert "<script" not in html
    assert "<img" not in html
    assert "<mark>logs</mark>" in html
    assert 'class="gs-query" dir="auto"' in html
    for words in (
        "1 of 3",
        "<bdi>English</bdi>",
        "25\u00a0% of its words stand in the passage",
        "<bdi>bm25</bdi> at rank 40, <bdi>minilm</bdi> not",
        "no search finds its document",
        "The whole passage",
    ):
        assert words in html


def test_a_press_for_another_query_stores_nothing(workspace: Workspace, dana: Person) -> None:
    reviewing = shown(workspace)
    stale = press(reviewing, "a")
    press_key(workspace, dana, reviewing, press(reviewing, "r"))
    assert reviewing.said.before == "Last: rejected \u201c"
    reviewing.show(look(workspace).candidate)
    press_key(workspace, dana, reviewing, stale)
    assert reviewing.said.before == "That query is done: this press was ignored."
    press_key(workspace, dana, reviewing, press(reviewing, "x"))
    assert look(workspace).progress == ReviewProgress(3, 0, 1, 2)


def test_an_edit_that_cannot_be_saved_leaves_the_query_on_screen(
    workspace: Workspace, dana: Person
) -> None:
    reviewing = shown(workspace)
    with pytest.raises(BuilderError):
        press_key(workspace, dana, reviewing, press(reviewing, "e"))
    assert reviewing.candidate is not None
    press_key(workspace, dana, reviewing, press(reviewing, "e", "kept logs"))
    assert reviewing.said.title == "kept logs"
    press_key(workspace, dana, reviewing, press(reviewing, "u"))
    assert reviewing.first == 1
    assert look(workspace).progress.waiting == 3


def test_filters_and_all_that_remains(workspace: Workspace, open_app: OpenApp) -> None:
    app = open_app(workspace.root)
    app.query_params["rater"] = "Dana"
    app.query_params["view"] = "Review"
    app = app.switch_page("ui/pages/generate.py").run()
    assert not app.exception
    app.segmented_control(key="review_state").set_value("rejected").run()
    assert any(
        "too short, too long or not one line" in element.proto.body for element in app.get("html")
    )
    app.segmented_control(key="review_state").set_value("waiting").run()
    app.selectbox(key="review_type").set_value("keyword").run()
    app.button(key="accept_all_0_really").click().run()
    assert not app.exception
    assert look(workspace).progress == ReviewProgress(3, 1, 0, 1)
