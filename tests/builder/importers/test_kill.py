"""A killed import leaves nothing half there, and the same import then completes."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from builder.importers import import_corpus
from builder.store.documents import count_documents
from builder.workspace import init_workspace, open_workspace
from tests.builder.importers.conftest import counts

DOCUMENTS = 15_000

IMPORT = """
import sys
from pathlib import Path
from builder.importers import import_corpus
from builder.workspace import open_workspace
with open_workspace(Path(sys.argv[1])) as workspace:
    import_corpus(
        workspace, Path(sys.argv[2]), progress=lambda what, done, total: print(done, flush=True)
    )
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        stream.write('{"_id": 1.5, "text": "goes into quarantine"}\n')
        for n in range(DOCUMENTS):
            stream.write(json.dumps({"_id": f"d{n}", "text": f"{n} " * 200}) + "\n")
    return path


def kill_import(workspace: Path, corpus: Path, rows: int, seconds: float) -> None:
    """Import in a process of its own; kill it `seconds` after it has read `rows`."""
    command = [sys.executable, "-c", IMPORT, str(workspace), str(corpus)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= rows:
                break
        time.sleep(seconds)
        process.kill()


@pytest.mark.parametrize(
    ("rows", "seconds"),
    [
        (1000, 0),
        (7000, 0.01),
        # From here on all is read, and the merge is under way.
        (DOCUMENTS + 1, 0),
        (DOCUMENTS + 1, 0.03),
        (DOCUMENTS + 1, 0.1),
        (DOCUMENTS + 1, 0.2),
    ],
)
def test_a_killed_import(rows: int, seconds: float, corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    init_workspace(folder).close()
    kill_import(folder, corpus, rows, seconds)
    with open_workspace(folder) as workspace:
        with workspace.store.read() as connection:
            present = count_documents(connection)
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        assert present in (0, DOCUMENTS)
        if rows < DOCUMENTS:
            assert present == 0
            assert not list(workspace.quarantine_folder.iterdir())
        tally = import_corpus(workspace, corpus)
        assert counts(tally) == (DOCUMENTS - present, present, 0, 1)
        with workspace.store.read() as connection:
            assert count_documents(connection) == DOCUMENTS
