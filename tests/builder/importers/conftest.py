"""A workspace for each test, and files to import."""

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from builder.store.documents import insert_documents
from builder.store.queries import insert_queries
from builder.workspace import Workspace, init_workspace, open_workspace
from estimates import ImportTally
from evals.records import Document, Query

Write = Callable[..., Path]


@pytest.fixture(scope="session")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that nobody works in: copying one is faster than making one."""
    folder = tmp_path_factory.mktemp("pristine") / "workspace"
    init_workspace(folder).close()
    return folder


@pytest.fixture
def workspace(pristine: Path, tmp_path: Path) -> Iterator[Workspace]:
    with copied(pristine, tmp_path / "workspace") as opened:
        yield opened


def copied(pristine: Path, folder: Path) -> Workspace:
    """A copy of the pristine workspace, opened."""
    shutil.copytree(pristine, folder)
    return open_workspace(folder)


@pytest.fixture
def judged(workspace: Workspace) -> Workspace:
    """A workspace with the queries q1, q2 and 7, and the documents d1, d2, d3 and 007."""
    with workspace.store.write() as connection:
        insert_documents(connection, [Document(d, "", d) for d in ("d1", "d2", "d3", "007")])
        insert_queries(connection, [Query(q, q) for q in ("q1", "q2", "7")])
    return workspace


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file: text, bytes, or rows that become JSON lines; packed where it ends in .gz."""

    def written(name: str, content: str | bytes | list[dict[str, Any]]) -> Path:
        if isinstance(content, list):
            content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
        told = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.write_bytes(gzip.compress(told) if name.endswith(".gz") else told)
        return path

    return written


def counts(tally: ImportTally) -> tuple[int, int, int, int]:
    """Accepted, duplicate, updated, quarantined; and the sum is what was read."""
    told = tally.as_json()
    parts = (tally.accepted, tally.duplicate, tally.updated, tally.quarantined)
    assert told["read"] == sum(parts)
    return parts


def quarantined(tally: ImportTally) -> list[dict[str, Any]]:
    """The rows in quarantine."""
    assert tally.quarantine_file is not None
    lines = tally.quarantine_file.read_bytes().split(b"\n")
    rows = [json.loads(line) for line in lines if line]
    assert len(rows) == tally.quarantined
    return rows
