"""Back again: checked first, nothing acknowledged lost, kills harmless."""

import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from builder.backup import Restored, back_up_to, restore_backup
from builder.errors import BuilderError, NotAllowedError
from builder.judging.guidelines import current_guidelines, save_guidelines
from builder.judging.queue import next_pair
from builder.people import ensure_person
from builder.store import activity
from builder.store.quota import content_mark
from builder.store.revisions import revisions
from builder.workspace import GUIDELINES, Workspace, open_workspace
from tests.builder.backup.conftest import GRADE_FOR_EVER, at_work, cli, grade_pair, log_length
from tests.builder.backup.test_backup import damage, rows
from tests.builder.store.test_engine import MAKE_OLD

RESTORE_FOR_EVER = """
import sys
from pathlib import Path
from builder.backup import restore_backup
while True:
    for name in sys.argv[2:]:
        print("again", flush=True)
        restore_backup(Path(sys.argv[1]), Path(name))
"""


@pytest.fixture
def copy(workspace: Workspace, tmp_path: Path) -> Path:
    """Of the moment with five judgments."""
    return back_up_to(workspace, tmp_path / "copy.db").file


def restored(workspace: Workspace, file: Path) -> Restored:
    return restore_backup(workspace.root, file)


def test_the_content_of_the_copy_is_there_again(workspace: Workspace, copy: Path) -> None:
    grade_pair(workspace, "ann", 6, 3)
    done = restored(workspace, copy)
    assert (done.judgments, done.restart, done.revision) == (5, False, revisions()[-1])
    assert done.kept is not None
    assert rows(done.kept, "judgments") == 6
    # The store that was open all the while sees it, and works on.
    assert log_length(workspace) == 5
    grade_pair(workspace, "bob", 7, 0)
    assert log_length(workspace) == 6
    with workspace.store.read() as connection:
        latest = activity.entries(connection, limit=1)[0]
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    assert (latest.actor, latest.action, latest.subject) == (
        "terminal",
        "backup.restore",
        "copy.db",
    )
    assert list((workspace.root / "cache").glob("restore-*")) == []


def test_a_copy_restores_what_a_restore_replaced(workspace: Workspace, copy: Path) -> None:
    grade_pair(workspace, "ann", 6, 3)
    kept = restored(workspace, copy).kept
    assert kept is not None
    restored(workspace, kept)
    assert log_length(workspace) == 6


def test_guidelines_follow_the_copy(workspace: Workspace, copy: Path) -> None:
    save_guidelines(workspace, "Later rules.", "", None, base_version=1)
    done = restored(workspace, copy)
    assert done.guidelines_version == 1
    assert done.kept is not None
    assert workspace.guidelines_file.read_text(encoding="utf-8") == GUIDELINES
    assert done.kept.with_suffix(".md").read_text(encoding="utf-8") == "Later rules.\n"
    found = current_guidelines(workspace)
    assert (found.version, found.text) == (1, GUIDELINES)
    save_guidelines(workspace, "Other rules.", "", None, base_version=1)
    assert current_guidelines(workspace).version == 2


def test_grades_that_another_process_saves_meanwhile_are_kept_or_stand(
    workspace: Workspace, copy: Path
) -> None:
    with at_work(GRADE_FOR_EVER, workspace.root) as child:
        assert child.stdout is not None
        acknowledged = [child.stdout.readline().strip() for _ in range(3)]
        kept = [restored(workspace, copy).kept for _ in range(4)]
        child.kill()
        acknowledged += child.stdout.read().split()
    found: set[str] = set()
    for database in [workspace.store.path, *filter(None, kept)]:
        with closing(sqlite3.connect(database)) as connection:
            found |= {token for (token,) in connection.execute("SELECT token FROM judgments")}
    assert len(acknowledged) > 3
    assert set(acknowledged) - found == set()


def test_kills_leave_the_one_or_the_other(workspace: Workspace, copy: Path, tmp_path: Path) -> None:
    grade_pair(workspace, "ann", 6, 3)
    other = back_up_to(workspace, tmp_path / "other.db").file
    for milliseconds in (0, 20, 35, 50, 65, 80, 110):
        with at_work(RESTORE_FOR_EVER, workspace.root, copy, other) as child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(milliseconds / 1000)
        with open_workspace(workspace.root) as opened:
            assert log_length(opened) in (5, 6)
            with opened.store.read() as connection:
                assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
            current_guidelines(opened)


def test_an_older_schema_is_upgraded_and_the_file_stays(
    workspace: Workspace, tmp_path: Path
) -> None:
    old = tmp_path / "old.db"
    subprocess.run([sys.executable, "-c", MAKE_OLD, str(old)], check=True)
    before = old.read_bytes()
    done = restored(workspace, old)
    assert (done.revision, done.judgments, done.guidelines_version) == ("0001_store", 0, 1)
    assert old.read_bytes() == before
    # It held no guidelines: the file stays, and is its first version.
    assert current_guidelines(workspace).text == GUIDELINES


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE films (title TEXT)")
        connection.commit()


def no_database(path: Path) -> None:
    path.write_text("grades are in another file, honestly\n" * 200, encoding="utf-8")


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut_off(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def overwritten(path: Path) -> None:
    with path.open("r+b") as stream:
        stream.seek(4096 * 5)
        stream.write(b"\xaa" * 4096 * 5)


def newer(path: Path) -> None:
    change(path, "UPDATE alembic_version SET version_num = '9999_later'")


def trigger(path: Path) -> None:
    change(
        path,
        "CREATE TRIGGER lies AFTER INSERT ON judgments BEGIN UPDATE pairs SET priority = 0; END",
    )


def lacking(path: Path) -> None:
    change(path, "ALTER TABLE queries RENAME COLUMN need TO needs")


def orphaned(path: Path) -> None:
    change(path, "UPDATE judgments SET rater_id = 777")


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (foreign, "none of Goldsmith's"),
        (no_database, "cannot be read"),
        (empty, "none of Goldsmith's"),
        (cut_off, "damaged|cannot be read"),
        (overwritten, "damaged|cannot be read"),
        (newer, "newer Goldsmith: its schema is 9999_later"),
        (trigger, "statements of its own .lies"),
        (lacking, "queries lacks need"),
        (orphaned, "5 rows refer to others"),
    ],
)
def test_what_is_no_copy_of_ours_changes_nothing(
    workspace: Workspace, copy: Path, spoil: object, message: str
) -> None:
    assert callable(spoil)
    if spoil in (foreign, empty, no_database):
        copy.unlink()
    spoil(copy)
    grade_pair(workspace, "ann", 6, 3)
    with pytest.raises(BuilderError, match=message) as caught:
        restored(workspace, copy)
    assert caught.value.where == str(copy)
    assert log_length(workspace) == 6
    assert not list((workspace.root / "backups").glob("*"))
    assert list((workspace.root / "cache").glob("restore-*")) == []


def test_places_from_which_nothing_is_restored(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(BuilderError, match="no such file"):
        restored(workspace, tmp_path / "absent.db")
    with pytest.raises(BuilderError, match="itself"):
        restored(workspace, workspace.store.path)
    with pytest.raises(BuilderError, match="no workspace"):
        restore_backup(tmp_path, workspace.store.path)


def test_only_admins_restore_in_the_browser(workspace: Workspace, copy: Path) -> None:
    with pytest.raises(NotAllowedError):
        restore_backup(workspace.root, copy, ensure_person(workspace, "bob"))


def test_another_size_of_pages(workspace: Workspace, copy: Path) -> None:
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size = 8192")
        connection.execute("VACUUM")
    grade_pair(workspace, "ann", 6, 3)
    restored(workspace, copy)
    assert log_length(workspace) == 5


def test_a_lost_database_comes_back(workspace: Workspace, copy: Path) -> None:
    workspace.close()
    for file in workspace.root.glob("workbench.db*"):
        file.unlink()
    done = restored(workspace, copy)
    assert (done.kept, done.restart, done.judgments) == (None, True, 5)
    with open_workspace(workspace.root) as opened:
        assert log_length(opened) == 5


def test_a_damaged_database_is_kept_as_it_is(workspace: Workspace, copy: Path) -> None:
    workspace.close()
    workspace.store.path.write_bytes(b"\xaa" * 8192)
    done = restored(workspace, copy)
    assert done.kept is not None
    assert done.kept.name.endswith("-damaged.db")
    assert done.kept.read_bytes() == b"\xaa" * 8192
    with open_workspace(workspace.root) as opened:
        assert log_length(opened) == 5


def test_damage_within_the_database_does_not_keep_a_copy_from_coming_back(
    workspace: Workspace, copy: Path
) -> None:
    damage(workspace)
    done = restored(workspace, copy)
    assert done.kept is not None
    assert done.kept.exists()
    with open_workspace(workspace.root) as opened:
        assert log_length(opened) == 5


def test_the_command(workspace: Workspace, copy: Path) -> None:
    grade_pair(workspace, "ann", 6, 3)
    code, printed = cli(workspace.root, "restore", str(copy))
    assert (code, printed["judgments"], printed["restart"]) == (0, 5, False)
    assert log_length(workspace) == 5
    code, printed = cli(workspace.root, "restore", str(copy) + ".absent")
    assert (code, set(printed)) == (1, {"error"})


def test_an_app_that_runs_forgets_what_it_remembered_of_the_queue(
    workspace: Workspace, copy: Path
) -> None:
    while pair := next_pair(workspace, "ann"):
        grade_pair(workspace, "ann", pair.pair_id, 1)
    restored(workspace, copy)
    with open_workspace(workspace.root) as other:
        # The log is as long again as it was when nothing was left.
        for pair_id in range(1, 16):
            grade_pair(other, "bob", pair_id, 1)
    assert log_length(workspace) == 20
    assert next_pair(workspace, "ann") is not None


def test_each_restore_leaves_another_mark(workspace: Workspace, copy: Path) -> None:
    marks = [mark_of(workspace)]
    for _ in range(2):
        restored(workspace, copy)
        marks.append(mark_of(workspace))
    grade_pair(workspace, "ann", 6, 3)
    assert mark_of(workspace) == marks[-1]
    assert (marks[0], len(set(marks))) == ("", 3)


def mark_of(workspace: Workspace) -> str:
    with workspace.store.read() as connection:
        return content_mark(connection)


def test_pairs_of_a_copy_want_as_many_grades_as_the_settings_say(
    workspace: Workspace, copy: Path
) -> None:
    change(copy, "UPDATE pairs SET quota = NULL, open_slots = 0")
    restored(workspace, copy)
    assert next_pair(workspace, "cy") is not None
