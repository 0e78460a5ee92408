"""A workspace with some grades, and processes that grade, copy or restore until they are killed."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from builder.store.judgments import NewJudgment, raw_judgments, record_judgment
from builder.workspace import Workspace
from tests.builder.judging.conftest import filled
from tests.workspaces import copied

GRADE_FOR_EVER = """
import sys
from pathlib import Path
from tests.builder.backup.conftest import grade_pair
from builder.workspace import open_workspace
with open_workspace(Path(sys.argv[1])) as workspace:
    for n in range(10**9):
        token = grade_pair(workspace, "bob", 1 + n % 20, n % 4)
        print(token, flush=True)
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """20 pairs; ann graded five of them."""
    with copied(_graded, tmp_path / "workspace") as opened:
        yield opened


def _graded(folder: Path) -> Workspace:
    workspace = filled(folder)
    for pair_id in range(1, 6):
        grade_pair(workspace, "ann", pair_id, 2)
    return workspace


def grade_pair(workspace: Workspace, rater: str, pair_id: int, grade: int) -> str:
    """Record a grade; its token."""
    from builder.store.people import find_person

    token = uuid4().hex
    with workspace.store.write() as connection:
        person = find_person(connection, rater)
        assert person is not None
        judgment = NewJudgment(pair_id, person.person_id, "grade", token, grade)
        record_judgment(connection, judgment)
    return token


def log_length(workspace: Workspace) -> int:
    with workspace.store.read() as connection:
        return len(list(raw_judgments(connection)))


@contextmanager
def at_work(program: str, *arguments: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that runs the program, has said its first word, and is killed at the end."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            yield child
        finally:
            child.kill()


def cli(workspace: Path, *arguments: str) -> tuple[int, dict[str, object]]:
    """Run a command with --json; its exit code and what it printed."""
    command = [sys.executable, "-m", "cli", "--workspace", str(workspace), *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout)
