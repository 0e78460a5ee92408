"""The lake: manifest, lock, sweeping, and what a kill at any moment leaves."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from online import OnlineError
from online.ingest import import_events
from online.lake import Lake
from online.manifest import Manifest, read_manifest, write_manifest
from tests.online.logs import clicked, event, rows, take, write_log

IMPORTER = """
import sys
from pathlib import Path
from online.ingest import import_events
from online.lake import Lake
lake, log, quarantine = map(Path, sys.argv[1:])
print("begun", flush=True)
import_events(
    Lake(lake), log, quarantine_folder=quarantine,
    progress=lambda what, done, total: print(what, flush=True),
)
print("done", flush=True)
"""
ROOT = Path(__file__).resolve().parents[2]


def _importer(folder: Path, log: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", IMPORTER, folder / "events", log, folder / "quarantine"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def _log_over_28_days(folder: Path, lines: int) -> Path:
    return write_log(
        folder / "log.jsonl",
        (
            clicked(n % 5 + 1, query=f"q{n}", timestamp=f"2026-11-{n % 28 + 1:02}T00:00:00Z")
            for n in range(lines)
        ),
    )


def test_an_absent_lake_is_empty_and_stays_absent(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "events")
    assert lake.version == "empty"
    assert rows(lake, "SELECT count(*) FROM searches") == [(0,)]
    assert rows(lake, "SELECT doc_id, date FROM interactions") == []
    assert not lake.root.exists()


def test_the_version_changes_with_each_commit_and_each_lake(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "a" / "events")
    seen = [lake.version]
    for n in range(3):
        (tmp_path / "a").mkdir(exist_ok=True)
        take(tmp_path / "a", [event(query=f"q{n}")])
        seen.append(lake.version)
    (tmp_path / "b").mkdir()
    take(tmp_path / "b", [event(query="q0")])
    seen.append(Lake(tmp_path / "b" / "events").version)
    assert len(set(seen)) == 5


def test_readers_see_only_what_the_manifest_names(tmp_path: Path) -> None:
    take(tmp_path, [event()])
    (day,) = (tmp_path / "events" / "searches").iterdir()
    (file,) = day.iterdir()
    (day / "2-0.parquet").write_bytes(file.read_bytes())
    lake = Lake(tmp_path / "events")
    assert rows(lake, "SELECT count(*) FROM searches") == [(1,)]
    take(tmp_path, [event(query="next")])
    assert rows(lake, "SELECT count(*) FROM searches") == [(2,)]
    assert len(list(day.iterdir())) == 2  # the stray file was swept


def test_a_connection_keeps_seeing_what_it_saw(tmp_path: Path) -> None:
    take(tmp_path, [event()])
    with Lake(tmp_path / "events").connect() as connection:
        take(tmp_path, [event(query="while reading")])
        assert connection.execute("SELECT count(*) FROM searches").fetchall() == [(1,)]
        (zone,) = connection.execute("SELECT current_setting('TimeZone')").fetchall()
        assert zone == ("UTC",)
        # DuckDB's progress bar would stand on stdout before the document of --json.
        (bar,) = connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()
        assert bar == (False,)


def test_a_damaged_lost_or_newer_manifest_is_refused(tmp_path: Path) -> None:
    take(tmp_path, [event()])
    lake, file = Lake(tmp_path / "events"), tmp_path / "events" / "manifest.json"
    whole = file.read_text()
    for damaged in (whole[:50], "[]", "{}", '{"schema": 1, "lake_id": "x", "commit": 1}'):
        file.write_text(damaged)
        with pytest.raises(OnlineError, match="manifest cannot be read"):
            lake.version  # noqa: B018 - reading it is the test
    file.write_text(json.dumps(json.loads(whole) | {"schema": 99}))
    with pytest.raises(OnlineError, match="schema 99"):
        take(tmp_path, [event()])
    file.unlink()
    with pytest.raises(OnlineError, match=r"no manifest\.json"):
        take(tmp_path, [event()])
    file.write_text(whole)
    assert take(tmp_path, [event()]).duplicate == 1


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    manifest = Manifest(lake_id="x")
    write_manifest(tmp_path, manifest)
    assert read_manifest(tmp_path) == manifest
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


def test_a_second_writer_waits_and_gives_up_in_time(tmp_path: Path) -> None:
    lake, heard = Lake(tmp_path), []
    with (
        lake.writing(),
        pytest.raises(OnlineError, match="another import has held the lake"),
        Lake(tmp_path).writing(lambda what, *_: heard.append(what), longest_wait_s=0.1),
    ):
        pass
    assert set(heard) <= {"waiting for another import, in seconds"}
    with lake.writing() as writing:
        assert writing.scratch.is_dir()
    assert not writing.scratch.exists()


def test_two_imports_at_once_wait_for_each_other(tmp_path: Path) -> None:
    logs = [
        write_log(tmp_path / f"{name}.jsonl", (event(query=f"{name} {n}") for n in range(10_000)))
        for name in ("a", "b", "c")
    ]
    lake = Lake(tmp_path / "events")
    accepted: list[int] = []

    def bring(log: Path) -> None:
        accepted.append(import_events(lake, log, quarantine_folder=tmp_path / "q").accepted)

    threads = [threading.Thread(target=bring, args=(log,)) for log in logs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert accepted == [10_000] * 3
    assert rows(lake, "SELECT count(*), count(DISTINCT query) FROM searches") == [(30_000, 30_000)]


def test_imports_of_two_processes_and_a_reader(tmp_path: Path) -> None:
    log = _log_over_28_days(tmp_path, 5_000)
    importers = [_importer(tmp_path, log) for _ in range(2)]
    lake = Lake(tmp_path / "events")
    while any(importer.poll() is None for importer in importers):
        (n,) = rows(lake, "SELECT count(*) FROM searches")
        assert n in ((0,), (5_000,))
        time.sleep(0.02)
    assert [importer.communicate()[0].split("\n")[-2] for importer in importers] == ["done"] * 2
    assert rows(lake, "SELECT count(*) FROM searches") == [(5_000,)]


def _killed_at(folder: Path, log: Path, step: str, delay: float) -> bool:
    """Whether an import could be killed with SIGKILL some seconds after it began a step."""
    importer = _importer(folder, log)
    assert importer.stdout is not None
    for line in importer.stdout:
        if line.startswith(step):
            time.sleep(delay)
            break
    importer.send_signal(signal.SIGKILL)
    importer.communicate()
    return importer.returncode == -signal.SIGKILL


N_KILLED = 8_000
"""Searches of a log whose import is killed: its steps take long enough to be met."""


@pytest.mark.parametrize(
    "moments",
    [
        [("begun", 0.1), ("reading", 0.0), ("reading", 0.15)],
        [("looking", 0.0), ("settling", 0.0), ("writing", 0.0)],
        [("moving", 0.0), ("moving", 0.005), ("moving", 0.02), ("moving", 0.05)],
    ],
)
def test_a_killed_import_leaves_the_lake_before_or_after(
    tmp_path: Path, moments: list[tuple[str, float]]
) -> None:
    take(tmp_path, [event(query="before")])
    log = _log_over_28_days(tmp_path, N_KILLED)
    lake, kills = Lake(tmp_path / "events"), 0
    for step, delay in moments:
        kills += _killed_at(tmp_path, log, step, delay)
        (counts,) = rows(
            lake, "SELECT (SELECT count(*) FROM searches), (SELECT count(*) FROM interactions)"
        )
        assert counts in ((1, 0), (1 + N_KILLED, N_KILLED))
    assert kills
    before = rows(lake, "SELECT count(*) - 1 FROM searches")[0][0]
    tally = import_events(lake, log, quarantine_folder=tmp_path / "quarantine")
    assert (tally.accepted, tally.duplicate) == (N_KILLED - before, before)
    assert rows(lake, "SELECT count(*) FROM searches") == [(1 + N_KILLED,)]
    named = lake.manifest().paths
    by_day, whole = lake.root.glob("*/date=*/*"), lake.root.glob("bots/*")
    assert {str(path.relative_to(lake.root)) for path in (*by_day, *whole)} == named
    assert {path.name for path in lake.root.iterdir()} == {
        "bots", "hours", "interactions", "manifest.json", "searches", "writer.lock",
    }  # fmt: skip


def test_what_killed_readers_spilled_is_swept_when_it_is_old(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "events")
    take(tmp_path, [event()])
    old, new = lake.root / ".spill-old", lake.root / ".spill-new"
    old.mkdir()
    new.mkdir()
    two_days_ago = time.time() - 48 * 3600
    os.utime(old, (two_days_ago, two_days_ago))
    take(tmp_path, [event()])
    assert (old.exists(), new.exists()) == (False, True)
