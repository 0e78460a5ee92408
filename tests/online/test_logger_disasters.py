"""The logger in services that are forked, killed, or run out of disk.

Each service is a process of its own with nothing but a copy of the one file and Python's standard
library (-I -S: no site-packages, no checkout).
"""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from estimates import ImportTally
from online import logger as logger_module
from online.ingest import import_events
from online.lake import Lake
from online.logger import SearchLogger

BEGINNING = """
import sys
sys.path.insert(0, sys.argv[1])
from logger_copy import SearchLogger
LISTED = ["d1", "d2", "d3"]
log = SearchLogger(sys.argv[1] + "/log", max_file_bytes=100_000)
def search(n, who="parent"):
    log.log_search(f"{who} {n}", LISTED, "bm25", session_id=who)
"""


def _service(folder: Path, body: str) -> "subprocess.Popen[str]":
    shutil.copy(logger_module.__file__, folder / "logger_copy.py")
    (folder / "service.py").write_text(BEGINNING + body)
    command = [sys.executable, "-I", "-S", str(folder / "service.py"), str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _run(folder: Path, body: str) -> tuple[str, str]:
    """What a service prints and what it complains about."""
    with _service(folder, body) as service:
        printed, complaints = service.communicate(timeout=60)
    assert service.returncode == 0, complaints
    return printed, complaints


def _import(folder: Path, pattern: str = "*.jsonl") -> ImportTally:
    lake = Lake(folder / "events")
    files = sorted((folder / "log").glob(pattern))
    return ImportTally.total(
        import_events(lake, file, quarantine_folder=folder / "quarantine") for file in files
    )


def _queries(folder: Path) -> Counter[str]:
    files = sorted((folder / "log").glob("*.jsonl"))
    lines = [line for file in files for line in file.read_text().splitlines()]
    return Counter(json.loads(line)["query"] for line in lines)


def test_a_normal_exit_without_close_writes_everything(tmp_path: Path) -> None:
    printed, complaints = _run(tmp_path, "for n in range(2000): search(n)\n")
    assert (printed, complaints) == ("", "")
    assert _queries(tmp_path) == Counter(f"parent {n}" for n in range(2000))
    assert {path.suffix for path in (tmp_path / "log").iterdir()} == {".jsonl"}


FORKS = """
import os
for n in range(300): search(n)
children = []
for who in "abcd":
    child = os.fork()
    if not child:
        assert (log.written, log.waiting, log.lost) == (0, 0, 0)
        for n in range(300): search(n, who)
        sys.exit(0)
    children.append(child)
for n in range(300, 600): search(n)
for child in children: assert os.waitpid(child, 0)[1] == 0
log.close()
assert (log.written, log.lost) == (600, 0)
"""


def test_after_a_fork_each_process_writes_its_own_and_nothing_twice(tmp_path: Path) -> None:
    """While the parent's buffer is full of lines that wait."""
    _run(tmp_path, FORKS)
    expected = Counter(f"parent {n}" for n in range(600))
    expected += Counter(f"{who} {n}" for who in "abcd" for n in range(300))
    assert _queries(tmp_path) == expected
    pids = {path.name.split("-")[2] for path in (tmp_path / "log").iterdir()}
    assert len(pids) == 5


FOREVER = """
import itertools, threading
def tell():
    while True:
        log.flush()
        print(log.written, flush=True)
threading.Thread(target=tell, daemon=True).start()
for n in itertools.count(): search(n)
"""


@pytest.mark.parametrize("after_s", [0.0, 0.03, 0.1])
def test_kill_9_leaves_at_most_one_torn_line(tmp_path: Path, after_s: float) -> None:
    with _service(tmp_path, FOREVER) as service:
        assert service.stdout is not None
        assert service.stdout.readline()
        time.sleep(after_s)
        service.send_signal(signal.SIGKILL)
        told = [int(line) for line in service.stdout.read().splitlines() if line]
    assert len(list((tmp_path / "log").glob("*.part"))) <= 1
    with SearchLogger(tmp_path / "log") as log:  # the next one in the folder finishes the file
        log.log_search("next", [], "bm25")
    left = list((tmp_path / "log").glob("*.part"))
    assert all(file.stat().st_size == 0 for file in left)  # killed before its first line
    tally = _import(tmp_path)
    assert set(tally.reasons) <= {"bad_json"}
    assert tally.quarantined <= 1
    assert tally.accepted > max(told[:-1], default=0)  # the last number may be torn itself
    assert tally.accepted + tally.quarantined == tally.read


def test_a_torn_last_line_is_quarantined_and_counted(tmp_path: Path) -> None:
    _run(tmp_path, "for n in range(100): search(n)\n")
    (file,) = (tmp_path / "log").iterdir()
    file.write_bytes(file.read_bytes()[:-20])
    tally = _import(tmp_path)
    assert (tally.accepted, tally.reasons) == (99, {"bad_json": 1})


FULL = """
import json, resource, time
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
def disk(size): resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
log = SearchLogger(sys.argv[1] + "/log", buffer_bytes=50_000)
for n in range(100): search(n)
log.flush()
disk(0)
for n in range(100, 2000): search(n)
log.flush(0.2)
full = [log.written, log.waiting, log.lost_by_reason]
disk(hard)
recovered = log.flush(10)
for n in range(2000, 2100): search(n)
log.close()
print(json.dumps([full, recovered, log.written, log.lost_by_reason]))
"""


def test_a_full_disk_costs_what_the_buffer_cannot_hold_and_is_survived(tmp_path: Path) -> None:
    printed, complaints = _run(tmp_path, FULL)
    full, recovered, written, lost = json.loads(printed)
    assert (full[0], recovered) == (100, True)
    assert 100 < full[1] < 400
    assert full[2] == lost == {"buffer_full": 1900 - full[1]}
    assert written == 100 + full[1] + 100
    assert "File too large" in complaints
    # When the first write was refused; and on close, if more was lost after that.
    assert 1 <= complaints.count("search events:") <= 2
    tally = _import(tmp_path)
    assert (tally.accepted, tally.read) == (written, written)
    assert {path.suffix for path in (tmp_path / "log").iterdir()} == {".jsonl"}


NARROW = """
import resource
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_001, hard))
for n in range(600):
    search(n)
    if n % 50 == 0: log.flush(5)
log.close()
print(log.written, log.lost)
"""


def test_a_write_that_stops_within_a_line_tears_none(tmp_path: Path) -> None:
    """Files may not grow beyond 20,001 bytes here: writes stop short in the middle of a line."""
    printed, _ = _run(tmp_path, NARROW)
    written, lost = map(int, printed.split())
    assert (written, lost) == (600, 0)
    tally = _import(tmp_path)
    assert (tally.accepted, tally.read) == (written, written)
