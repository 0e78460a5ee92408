"""Click evidence that was kept quotes queries: it goes with the events of who is forgotten."""

from pathlib import Path

import pytest

from builder.events import expire, forget
from builder.workspace import Workspace
from online.evidence import find_evidence
from online.kept import FOLDER
from tests.online.logs import clicked, event, take
from tests.workspaces import new_workspace

QUERY = "alices rare disease"


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Workspace, Path]:
    """A workspace whose click evidence lies in a file that quotes what Alice searched for."""
    workspace = new_workspace(tmp_path / "w")
    old = "2020-01-01T12:00:00Z"
    lines = [clicked(1, query=QUERY, user_id="alice", session_id="a", timestamp=old), event()]
    take(workspace.root, lines)
    evidence = find_evidence(workspace.lake, workspace.cache_folder)
    assert evidence.of_texts([QUERY])[QUERY][0].clicks == 1
    assert evidence.file.parent == workspace.cache_folder / FOLDER
    return workspace, evidence.file


def test_the_file_goes_when_a_user_is_forgotten(kept: tuple[Workspace, Path]) -> None:
    workspace, file = kept
    forget(workspace, "nobody", "terminal")
    assert file.exists()
    forget(workspace, "alice", "terminal")
    assert_gone(workspace, file)


def test_the_file_goes_when_days_expire(kept: tuple[Workspace, Path]) -> None:
    workspace, file = kept
    expire(workspace, 1000, "terminal")
    assert_gone(workspace, file)


def assert_gone(workspace: Workspace, file: Path) -> None:
    """No file of evidence is left, and what is counted anew does not know the query."""
    assert not file.exists()
    assert list(workspace.cache_folder.rglob("*.parquet")) == []
    evidence = find_evidence(workspace.lake, workspace.cache_folder)
    assert evidence.of_texts([QUERY]) == {QUERY: []}
    assert evidence.summary.pairs == 5
    workspace.close()
