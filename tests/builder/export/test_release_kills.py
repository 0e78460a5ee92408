"""An export that is stopped, killed or overtaken leaves whole releases, or none."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from builder.export import export_task
from builder.store.releases import all_releases
from builder.workspace import Workspace
from evals.taskfolder import read_task
from tests.builder.export.conftest import files_of, leftovers, regrade, release, told


class _Stop(Exception):  # noqa: N818
    """Raised out of a progress callback, as a cancelled job does."""


def test_a_stopped_export_leaves_nothing(workspace: Workspace) -> None:
    def stop(what: str, done: int, total: int | None) -> None:
        del done, total
        if what == "writing documents":
            raise _Stop

    with pytest.raises(_Stop):
        export_task(workspace, "shop", progress=stop)
    assert leftovers(workspace) == []
    assert not (workspace.evals_folder / "shop").exists()


# Killed by a real SIGKILL at the calls after which a reader sees something else.

KILLED_EXPORT = """
import os, pathlib, signal, sys
from builder.export import export_task
from builder.workspace import open_workspace

call, number, when = sys.argv[2], int(sys.argv[3]), sys.argv[4]
really, calls = getattr(os, call), 0

def killed(*given, **more):
    global calls
    calls += 1
    if calls == number and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    outcome = really(*given, **more)
    if calls == number:
        os.kill(os.getpid(), signal.SIGKILL)
    return outcome

setattr(os, call, killed)
with open_workspace(pathlib.Path(sys.argv[1])) as workspace:
    export_task(workspace, "shop")
"""


@pytest.mark.parametrize(
    ("call", "number", "when", "releases_then", "is_shown"),
    [
        ("fsync", 1, "before", 1, True),  # written, nothing of it on the disk
        ("fsync", 3, "after", 1, True),  # written, half of it on the disk
        ("rename", 2, "before", 1, True),  # all on the disk, not yet a release
        ("rename", 2, "after", 2, True),  # a release, the older copy still shown
        ("rename", 3, "after", 2, False),  # the older copy is away
        ("rename", 4, "after", 2, True),  # the new copy is there, the older not yet removed
    ],
)
def test_a_killed_export_leaves_no_half_release_and_the_next_completes_it(
    workspace: Workspace, call: str, number: int, when: str, releases_then: int, is_shown: bool
) -> None:
    export_task(workspace, "shop")
    regrade(workspace, 2)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_EXPORT, str(workspace.root), call, str(number), when],
        capture_output=True,
        text=True,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    shown = workspace.evals_folder / "shop"
    assert sum(release(workspace, n).exists() for n in (1, 2, 3)) == releases_then
    for n in range(1, releases_then + 1):
        check_whole(release(workspace, n))
    assert shown.exists() == is_shown
    if is_shown:
        check_whole(shown)
    exported = export_task(workspace, "shop")
    assert exported["release"] == 2
    assert files_of(release(workspace, 2)) == files_of(shown)
    check_whole(shown)
    assert leftovers(workspace) == []
    with workspace.store.read() as connection:
        assert [made.number for made in all_releases(connection)] == [2, 1]


def check_whole(folder: Path) -> None:
    document = told(folder)
    task = read_task(folder)
    assert sum(map(len, task.qrels.values())) == document["counts"]["out"]["judgments"]
    assert len(task.documents) == document["counts"]["out"]["documents"]
    assert (folder / "README.md").read_text("utf-8").rstrip().endswith("`qrels/test.trec`")
    assert (folder / "judgments.jsonl").stat().st_size > 0


def test_exports_at_the_same_time_wait_for_each_other(workspace: Workspace) -> None:
    command = (
        "import sys; from pathlib import Path; from builder.workspace import open_workspace;"
        "from builder.export import export_task\n"
        "with open_workspace(Path(sys.argv[1])) as w: print(export_task(w, 'shop')['release'])"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", command, str(workspace.root)],
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )
        for _ in range(2)
    ]
    assert [process.communicate()[0].strip() for process in processes] == ["1"] * 2
    check_whole(workspace.evals_folder / "shop")
