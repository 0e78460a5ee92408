"""The demo works in a workspace of its own and mixes with nobody's."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.demo.premises import MARKS, NAME, alone, claim
from builder.errors import WorkspaceError
from builder.importers import import_corpus
from builder.settings import read_settings
from builder.workspace import Workspace, init_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with init_workspace(tmp_path / "docs", NAME) as workspace:
        yield workspace


def a_document(folder: Path) -> Path:
    file = folder / "corpus.jsonl"
    file.write_text('{"_id": "p1", "title": "Mug", "text": "A mug."}\n', encoding="utf-8")
    return file


def test_an_empty_workspace_is_marked(workspace: Workspace) -> None:
    claim(workspace)
    settings = read_settings(workspace.root / "workspace.toml")
    assert settings.marks == MARKS
    assert settings.name == "Python documentation"


def test_a_workspace_of_the_demo_may_hold_anything(workspace: Workspace, tmp_path: Path) -> None:
    claim(workspace)
    import_corpus(workspace, a_document(tmp_path))
    before = (workspace.root / "workspace.toml").read_bytes()
    claim(workspace)
    assert (workspace.root / "workspace.toml").read_bytes() == before


def test_the_work_of_others_is_refused_and_left_alone(workspace: Workspace, tmp_path: Path) -> None:
    import_corpus(workspace, a_document(tmp_path))
    before = (workspace.root / "workspace.toml").read_bytes()
    with pytest.raises(WorkspaceError, match="work of its own: documents") as refused:
        claim(workspace)
    assert refused.value.where == str(workspace.root)
    assert "--workspace FOLDER demo" in str(refused.value.hint)
    assert (workspace.root / "workspace.toml").read_bytes() == before


def test_two_demos_at_once_wait_for_each_other(workspace: Workspace) -> None:
    told: list[str] = []
    first_is_in, second_waits = threading.Event(), threading.Event()

    def hear(what: str, done: int, total: int | None) -> None:
        told.append(f"{what}, {done} of {total}")
        second_waits.set()

    def first() -> None:
        with alone(workspace, hear):
            first_is_in.set()
            second_waits.wait(20)
            told.append("first is done")

    thread = threading.Thread(target=first)
    thread.start()
    first_is_in.wait(20)
    with alone(workspace, hear):
        told.append("second is in")
    thread.join()
    assert told[0] == "waiting for another demo, 0 of None"
    assert told[-2:] == ["first is done", "second is in"]
