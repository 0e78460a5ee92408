"""A copy a day: one a day, the last seven, by one process; failures are told."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from filelock import FileLock

from builder.backup import daily_problem, keep_daily_copies, make_daily_copy, stop_daily_copies
from builder.store import activity
from builder.workspace import Workspace, open_workspace
from tests.builder.backup.conftest import grade_pair, log_length
from tests.builder.backup.test_backup import rows

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def names(workspace: Workspace) -> list[str]:
    return sorted(file.name for file in (workspace.root / "backups").glob("*.db"))


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def obstruct(workspace: Workspace) -> Path:
    """Have no copy written: a file stands where the folder belongs."""
    folder = workspace.root / "backups"
    folder.write_text("", encoding="utf-8")
    return folder


def test_one_copy_a_day(workspace: Workspace) -> None:
    made = make_daily_copy(workspace, NOON)
    assert made is not None
    assert made.name == "daily-2026-11-30.db"
    assert rows(made, "judgments") == 5
    assert make_daily_copy(workspace, NOON + timedelta(hours=11)) is None
    # The day is one of UTC: here it is still the 30th, though not in Tokyo.
    tokyo = timezone(timedelta(hours=9))
    assert make_daily_copy(workspace, datetime(2026, 12, 1, 8, tzinfo=tokyo)) is None
    assert make_daily_copy(workspace, NOON + timedelta(days=1)) is not None


def test_the_last_seven_stay_and_nothing_else_goes(workspace: Workspace) -> None:
    folder = workspace.root / "backups"
    folder.mkdir()
    others = ("workbench-0001_store-20250101T000000000000.db", "daily-mine.db", "mine.db")
    for name in others:
        (folder / name).write_text("dear", encoding="utf-8")
    for day in range(10):
        make_daily_copy(workspace, NOON + timedelta(days=day))
    daily = [f"daily-2026-12-0{day}.db" for day in range(3, 10)]
    assert names(workspace) == sorted([*others, *daily])


def test_what_a_killed_copy_left_is_removed(workspace: Workspace) -> None:
    folder = workspace.root / "backups"
    folder.mkdir()
    (folder / ".daily-2026-11-29.db.77.part").write_text("", encoding="utf-8")
    make_daily_copy(workspace, NOON)
    assert not list(folder.glob("*.part")) + list(folder.glob(".*.part"))


def test_one_process_makes_it(workspace: Workspace) -> None:
    folder = workspace.root / "backups"
    folder.mkdir()
    with FileLock(folder / ".daily.lock"):
        assert make_daily_copy(workspace, NOON) is None
    assert names(workspace) == []
    with open_workspace(workspace.root) as other:
        made: list[Path | None] = []
        threads = [
            threading.Thread(target=lambda w=w: made.append(make_daily_copy(w, NOON)))
            for w in (workspace, other)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sum(copy is not None for copy in made) == 1


def test_the_app_keeps_them_while_it_runs(workspace: Workspace) -> None:
    keep_daily_copies(workspace)
    keep_daily_copies(workspace)
    wait_until(lambda: names(workspace) != [])
    stop_daily_copies(workspace)
    stop_daily_copies(workspace)
    assert len(names(workspace)) == 1
    assert daily_problem(workspace) == ""
    assert [thread.name for thread in threading.enumerate()].count("daily-copies") == 0


def test_a_failure_is_told_and_grading_goes_on(workspace: Workspace) -> None:
    folder = obstruct(workspace)
    keep_daily_copies(workspace)
    wait_until(lambda: daily_problem(workspace) != "")
    stop_daily_copies(workspace)
    with workspace.store.read() as connection:
        (entry,) = activity.entries(connection, limit=1)
    assert (entry.actor, entry.action) == ("app", "backup.daily.failed")
    assert daily_problem(workspace) == entry.details["reason"]
    grade_pair(workspace, "ann", 6, 1)
    assert log_length(workspace) == 6
    folder.unlink()
    assert make_daily_copy(workspace) is not None
    assert daily_problem(workspace) == ""


def test_no_copy_yet_is_no_problem(workspace: Workspace) -> None:
    assert daily_problem(workspace) == ""


@pytest.mark.parametrize("days", [0, 1])
def test_the_copy_restores(workspace: Workspace, days: int) -> None:
    from builder.backup import restore_backup

    made = make_daily_copy(workspace, NOON + timedelta(days=days))
    assert made is not None
    grade_pair(workspace, "ann", 6, 1)
    restore_backup(workspace.root, made)
    assert log_length(workspace) == 5
