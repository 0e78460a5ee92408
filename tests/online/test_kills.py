"""An import that writes days again, killed with SIGKILL at random moments."""

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from online.ingest import import_events
from online.lake import Lake
from tests.online.logs import event, rows, take, write_log

ROOT = Path(__file__).resolve().parents[2]
IMPORTER = """
import sys
from pathlib import Path
from online.ingest import import_events
from online.lake import Lake
lake, log, quarantine = map(Path, sys.argv[1:])
print("begun", flush=True)
import_events(Lake(lake), log, quarantine_folder=quarantine)
"""
ALL = (
    "SELECT * EXCLUDE (date), CAST(date AS VARCHAR) FROM searches ORDER BY search_key",
    "SELECT * EXCLUDE (date), CAST(date AS VARCHAR) FROM interactions "
    "ORDER BY search_key, row_key, kind, doc_id",
)


def _moment(day: int, hour: int) -> str:
    return f"2026-11-{day:02}T{hour:02}:00:00Z"


def _searches(days: int) -> list[dict[str, Any]]:
    return [
        event(timestamp=_moment(day, 1), search_id=f"{day}-{n}", session_id=None, user_id=f"u{n}")
        for day in range(1, days + 1)
        for n in range(50)
    ]


def _what_came_later(days: int) -> list[dict[str, Any]]:
    """A click for every other search, a second page for some, and a search of its own a day."""
    told: list[dict[str, Any]] = []
    for day in range(1, days + 1):
        told.append(event(timestamp=_moment(day, 5), query=f"new on {day}"))
        for n in range(0, 50, 2):
            row = {"timestamp": _moment(day, 2), "search_id": f"{day}-{n}"}
            told.append(row | {"clicks": [{"doc_id": "d3", "rank": 3}]})
        told += [
            event(timestamp=_moment(day, 3), search_id=f"{day}-{n}", offset=5, user_id=f"u{n}")
            for n in range(0, 50, 10)
        ]
    return told


def _lines(lake: Lake) -> list[list[tuple[Any, ...]]]:
    return [rows(lake, query) for query in ALL]


def _kill(folder: Path, log: Path, delay: float) -> bool:
    """Whether an import was killed so many seconds after it began; FALSE: it was done already."""
    folders = map(str, (folder / "events", log, folder / "quarantine"))
    command = [sys.executable, "-c", IMPORTER, *folders]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as importer:
        assert importer.stdout is not None
        importer.stdout.readline()
        time.sleep(delay)
        importer.send_signal(signal.SIGKILL)
    return importer.returncode == -signal.SIGKILL


def _kill_at_random(folder: Path, days: int, kills: int) -> set[str]:
    """What was found after so many kills: "before", "after"."""
    take(folder, _searches(days))
    before, log = folder / "before", write_log(folder / "later.jsonl", _what_came_later(days))
    shutil.copytree(folder / "events", before)
    lake = Lake(folder / "events")
    states = {"before": _lines(lake)}
    begun = time.monotonic()
    undisturbed = import_events(lake, log, quarantine_folder=folder / "quarantine")
    lasted = time.monotonic() - begun
    states["after"] = _lines(lake)
    chance, seen, killed = random.Random(kills), set[str](), 0
    while killed < kills:
        shutil.rmtree(lake.root)
        shutil.copytree(before, lake.root)
        killed += _kill(folder, log, chance.random() * lasted)
        (state,) = [name for name, lines in states.items() if lines == _lines(lake)]
        seen.add(state)
        again = import_events(lake, log, quarantine_folder=folder / "quarantine")
        assert (again.accepted, again.duplicate) == (
            (undisturbed.accepted, 0) if state == "before" else (0, undisturbed.accepted)
        )
        assert _lines(lake) == states["after"]
        files = {str(path.relative_to(lake.root)) for path in lake.root.glob("*/date=*/*")}
        assert files <= lake.manifest().paths
        assert not (lake.root / "scratch").exists()
    return seen


def test_an_import_that_writes_days_again_is_done_or_not_done(tmp_path: Path) -> None:
    assert _kill_at_random(tmp_path, days=5, kills=2) <= {"before", "after"}


@pytest.mark.slow
def test_20_kills_of_an_import_that_writes_28_days_again(tmp_path: Path) -> None:
    assert "before" in _kill_at_random(tmp_path, days=28, kills=20)
