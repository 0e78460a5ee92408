"""A copy of one moment, a whole file or none, while others write."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from builder.backup import back_up_to, list_backups
from builder.errors import BuilderError, NotAllowedError
from builder.people import ensure_person
from builder.store import activity
from builder.store.copies import check_database
from builder.workspace import Workspace
from tests.builder.backup.conftest import GRADE_FOR_EVER, at_work, cli

BACK_UP_FOR_EVER = """
import sys
from pathlib import Path
from builder.store.copies import copy_database
while True:
    print("again", flush=True)
    copy_database(Path(sys.argv[1]), Path(sys.argv[2]))
"""


def rows(database: Path, table: str) -> int:
    with closing(sqlite3.connect(database)) as connection:
        counted: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
    return counted


def test_a_copy_is_one_whole_file(workspace: Workspace, tmp_path: Path) -> None:
    made = back_up_to(workspace, tmp_path / "out" / ".." / "copy.db")
    assert made.file.name == "copy.db"
    assert made.size == made.file.stat().st_size
    assert rows(made.file, "judgments") == 5
    assert rows(made.file, "guidelines") == 1
    with closing(sqlite3.connect(made.file)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.db", "workspace"]
    with workspace.store.read() as connection:
        (entry,) = activity.entries(connection, limit=1)
    assert (entry.actor, entry.action, entry.subject) == ("terminal", "backup.make", "copy.db")


def test_a_copy_while_another_process_grades(workspace: Workspace, tmp_path: Path) -> None:
    with at_work(GRADE_FOR_EVER, workspace.root) as child:
        assert child.stdout is not None
        for n in range(5):
            acknowledged = child.stdout.readline().strip()
            copy = back_up_to(workspace, tmp_path / f"{n}.db").file
            with closing(sqlite3.connect(copy)) as connection:
                found = connection.execute(
                    "SELECT count(*) FROM judgments WHERE token = ?", [acknowledged]
                )
                assert found.fetchone() == (1,)
            assert check_database(copy)


def test_nothing_is_overwritten_unasked(workspace: Workspace, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    target.write_text("dear", encoding="utf-8")
    with pytest.raises(BuilderError, match="already"):
        back_up_to(workspace, target)
    assert target.read_text(encoding="utf-8") == "dear"
    back_up_to(workspace, target, force=True)
    assert rows(target, "judgments") == 5


@pytest.mark.parametrize("name", ["workbench.db", "workbench.db-wal", ".", "no/such/folder.db"])
def test_places_where_no_copy_goes(workspace: Workspace, name: str) -> None:
    with pytest.raises(BuilderError):
        back_up_to(workspace, workspace.root / name, force=True)


def test_only_admins_copy_in_the_browser(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(NotAllowedError):
        back_up_to(workspace, tmp_path / "copy.db", ensure_person(workspace, "bob"))
    back_up_to(workspace, tmp_path / "copy.db", ensure_person(workspace, "ann"))


def test_a_damaged_database_is_not_copied_as_if_it_were_whole(
    workspace: Workspace, tmp_path: Path
) -> None:
    damage(workspace)
    with pytest.raises(BuilderError, match=r"damaged|malformed"):
        back_up_to(workspace, tmp_path / "copy.db", force=True)
    assert not (tmp_path / "copy.db").exists()


def test_a_killed_copy_leaves_no_file_or_a_whole_one(workspace: Workspace, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    for milliseconds in (0, 1, 2, 3, 5, 8, 13, 21):
        with at_work(BACK_UP_FOR_EVER, workspace.store.path, target) as child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(milliseconds / 1000)
        if target.exists():
            assert check_database(target)
            assert rows(target, "judgments") == 5


def test_the_command(workspace: Workspace, tmp_path: Path) -> None:
    code, printed = cli(workspace.root, "backup", str(tmp_path / "copy.db"))
    assert code == 0
    assert printed["file"] == str(tmp_path / "copy.db")
    code, printed = cli(workspace.root, "backup", str(tmp_path / "copy.db"))
    assert code == 1
    assert set(printed) == {"error"}


def test_which_copies_there_are(workspace: Workspace) -> None:
    assert list_backups(workspace) == []
    folder = workspace.root / "backups"
    folder.mkdir()
    back_up_to(workspace, folder / "daily-2026-11-30.db")
    back_up_to(workspace, folder / "mine.db")
    kinds = {copy.file.name: copy.kind for copy in list_backups(workspace)}
    assert kinds == {"daily-2026-11-30.db": "daily", "mine.db": "other"}


def damage(workspace: Workspace) -> None:
    """Overwrite pages in the middle of the database, as a failing disk does."""
    with closing(sqlite3.connect(workspace.store.path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    workspace.close()
    with workspace.store.path.open("r+b") as stream:
        stream.seek(4096)
        stream.write(b"\xaa" * 4096 * 20)
