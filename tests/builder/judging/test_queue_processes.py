"""Processes grade at once, some are killed: nothing is doubled, over-filled, lost or stranded."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from builder.judging.queue import progress_of
from builder.people import ensure_person
from builder.store.judgments import raw_judgments
from builder.workspace import Workspace, open_workspace
from tests.builder.judging.conftest import filled

N_QUERIES, N_RANKS, K = 30, 8, 2
RATERS = ("ann", "bob", "cy", "dan", "eve", "fay")
KILLED = ("cy", "dan", "eve")


def start(folder: Path, rater: str, hours: int = 0) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.builder.judging.grading_process"]
    kept = folder.parent / f"{rater}.txt"
    return subprocess.Popen([*command, str(folder), rater, str(kept), str(hours)])


def acknowledged(folder: Path, rater: str) -> list[tuple[int, str]]:
    """(pair_id, token) of each grade that the process was told is saved; whole lines only."""
    text = (folder.parent / f"{rater}.txt").read_text()
    lines = [line.split() for line in text[: text.rfind("\n") + 1].splitlines()]
    return [(int(line[0]), line[1]) for line in lines if line != ["ready"]]


def is_ready(folder: Path, rater: str) -> bool:
    file = folder.parent / f"{rater}.txt"
    return file.exists() and file.read_text().startswith("ready\n")


def grades(workspace: Workspace) -> list[tuple[str, str, str]]:
    with workspace.store.read() as connection:
        return [(row.rater, row.query_id, row.doc_id) for row in raw_judgments(connection)]


def test_processes_that_grade_at_once_and_die(tmp_path: Path) -> None:
    folder, chance = tmp_path / "workspace", random.Random(11)
    with filled(folder, N_QUERIES, N_RANKS) as workspace:
        for rater in RATERS:
            ensure_person(workspace, rater)
    running = {rater: start(folder, rater) for rater in RATERS}
    while not all(is_ready(folder, rater) for rater in RATERS):
        assert all(process.poll() is None for process in running.values())
        time.sleep(0.01)
    (tmp_path / "go").touch()
    for rater in KILLED:
        time.sleep(chance.uniform(0.05, 0.15))
        running[rater].kill()
    ended = {rater: process.wait(120) for rater, process in running.items()}
    assert ended == {rater: -signal.SIGKILL if rater in KILLED else 0 for rater in RATERS}
    # What the dead had on their screens is free again after a while; the last three go on.
    last = [start(folder, rater, hours=1) for rater in RATERS if rater not in KILLED]
    assert [process.wait(120) for process in last] == [0, 0, 0]
    with open_workspace(folder) as workspace:
        check(workspace, folder)


def check(workspace: Workspace, folder: Path) -> None:
    log = grades(workspace)
    assert len(set(log)) == len(log)  # no pair twice to one rater
    of_pair = Counter((query_id, doc_id) for _, query_id, doc_id in log)
    assert len(of_pair) == N_QUERIES * N_RANKS
    assert set(of_pair.values()) == {K}
    with workspace.store.read() as connection:
        rows = connection.exec_driver_sql("SELECT pair_id, token FROM judgments").all()
    kept = {tuple(row) for row in rows}
    for rater in RATERS:
        assert set(acknowledged(folder, rater)) <= kept
        assert progress_of(workspace, rater).left == 0
