import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.exc import IntegrityError

from builder.errors import WorkspaceError
from builder.store import Store, open_store
from builder.store.people import add_person, all_people
from builder.store.revisions import MIGRATIONS, back_up, revisions
from builder.store.synthesis_schema import metadata

# A real database at 0001: made by the first step alone, with one person in it.
MAKE_OLD = """
import sys
from pathlib import Path
from sqlalchemy import text
from builder.store import engine
from builder.store.revisions import migrate
made = engine._engine(Path(sys.argv[1]))
with made.connect() as connection:
    connection.connection.driver_connection.execute("PRAGMA journal_mode = WAL")
    with engine.writing(connection):
        migrate(connection, "0001_store")
        connection.execute(text(
            "INSERT INTO people (name, kind, role, created_at) VALUES ('ann', 'human', 'rater', '')"
        ))
made.dispose()
"""


def tables(path: Path) -> dict[str, str]:
    """Name -> its SQL, of all tables and indices that a person defined."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE sql NOT NULL AND name <> 'alembic_version'"
        ).fetchall()
    return {name: " ".join(sql.split()) for name, sql in rows}


def shape(path: Path) -> dict[str, Any]:
    """What the tables are made of, whatever the order: a column added later stands last."""
    made = create_engine(f"sqlite:///{path}")
    seen = inspect(made)
    found = {
        table: {
            "columns": sorted(str(column) for column in seen.get_columns(table)),
            "checks": sorted(check["sqltext"] for check in seen.get_check_constraints(table)),
            "unique": sorted(str(unique) for unique in seen.get_unique_constraints(table)),
            "foreign": sorted(str(key) for key in seen.get_foreign_keys(table)),
            "indexes": sorted(_plain_index(index) for index in seen.get_indexes(table)),
        }
        for table in seen.get_table_names()
        if table != "alembic_version"
    }
    made.dispose()
    return found


def _plain_index(index: Any) -> str:
    where = index.get("dialect_options", {}).get("sqlite_where", "")
    return f"{index['name']} {index['column_names']} {index['unique']} {where}"


def revision(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        found: str = connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]
    return found


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "workbench.db"
    subprocess.run([sys.executable, "-c", MAKE_OLD, str(path)], check=True)
    assert revision(path) == "0001_store"
    return path


def test_the_steps_make_what_schema_says(tmp_path: Path) -> None:
    open_store(tmp_path / "migrated.db").close()
    direct = create_engine(f"sqlite:///{tmp_path / 'direct.db'}")
    metadata.create_all(direct)
    direct.dispose()
    assert shape(tmp_path / "migrated.db") == shape(tmp_path / "direct.db")


def test_each_step_is_called_as_its_file_and_follows_the_one_before() -> None:
    from alembic.script import ScriptDirectory

    script = ScriptDirectory(str(MIGRATIONS))
    chain = [(step.revision, step.down_revision) for step in script.walk_revisions()][::-1]
    names = revisions()
    assert chain == list(zip(names, [None, *names[:-1]], strict=True))


def test_an_older_database_is_upgraded_after_a_copy(old: Path) -> None:
    store = open_store(old)
    with store.read() as connection:
        assert [person.name for person in all_people(connection)] == ["ann"]
    store.close()
    assert revision(old) == revisions()[-1]
    (copy,) = (old.parent / "backups").iterdir()
    assert copy.name.startswith("workbench-0001_store-")
    assert revision(copy) == "0001_store"
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT name FROM people").fetchall() == [("ann",)]


def test_a_copy_holds_what_only_the_log_has_so_far(old: Path) -> None:
    with closing(sqlite3.connect(old)) as writer:
        writer.execute("UPDATE people SET name = 'bob'")
        writer.commit()  # stays in the write-ahead log: no checkpoint while we are connected
        copy = back_up(old, "0001_store")
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT name FROM people").fetchall() == [("bob",)]


def test_an_upgrade_that_fails_changes_nothing(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> None:
        raise OSError("the disk is gone")

    before = tables(old)
    with monkeypatch.context() as patch:
        patch.setattr("alembic.command.upgrade", fail)
        with pytest.raises(OSError, match="disk"):
            open_store(old)
    assert revision(old) == "0001_store"
    assert tables(old) == before
    open_store(old).close()


def test_two_processes_upgrade_once(old: Path) -> None:
    command = [
        sys.executable,
        "-c",
        "import sys; from pathlib import Path; "
        "from builder.store import open_store; open_store(Path(sys.argv[1])).close()",
    ]
    running = [subprocess.Popen([*command, str(old)]) for _ in range(3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    assert revision(old) == revisions()[-1]
    assert len(list((old.parent / "backups").iterdir())) == 1


def test_two_processes_make_one_database(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        "import sys; from pathlib import Path; "
        "from builder.store import open_store; open_store(Path(sys.argv[1])).close()",
    ]
    running = [subprocess.Popen([*command, str(tmp_path / "new.db")]) for _ in range(3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    assert revision(tmp_path / "new.db") == revisions()[-1]


def test_a_newer_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "workbench.db"
    open_store(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0099_later'")
        connection.commit()
    before = contents(tmp_path)
    with pytest.raises(WorkspaceError, match=r"newer Goldsmith.*0099_later") as caught:
        open_store(path)
    assert "Update Goldsmith" in (caught.value.hint or "")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("content", [b"this is no database, " * 100, b"\0" * 5000])
def test_what_is_no_database_is_told(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "workbench.db"
    path.write_bytes(content)
    with pytest.raises(WorkspaceError, match="cannot be opened"):
        open_store(path)
    assert path.read_bytes() == content


def test_a_foreign_database_is_not_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "workbench.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(WorkspaceError, match="none of Goldsmith's"):
        open_store(path)
    assert list(tables(path)) == ["recipes"]


def test_settings_of_each_connection(tmp_path: Path) -> None:
    store = open_store(tmp_path / "workbench.db")
    for opened in (store.read, store.write, store.session):
        with opened() as connection:
            asked = ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
            found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in asked]
            assert found == ["wal", 1, 2, 30_000]
    store.close()


def test_the_database_holds_the_rules(tmp_path: Path) -> None:
    store = open_store(tmp_path / "workbench.db")
    broken = [
        "INSERT INTO people (name, kind, role, created_at) VALUES ('x', 'robot', 'rater', '')",
        "INSERT INTO pairs (query_key, doc_key, created_at) VALUES (1, 1, '')",
        "INSERT INTO judgments (pair_id, rater_id, outcome, grade, recorded_at, token)"
        " VALUES (1, 1, 'grade', 4, '', 't')",
    ]
    for statement in broken:
        with pytest.raises(IntegrityError), store.write() as connection:
            connection.execute(text(statement))
    store.close()


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path / "workbench.db")

    def fail() -> None:
        with store.write() as connection:
            add_person(connection, "ann")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with store.read() as connection:
        assert all_people(connection) == []
    store.close()


def test_readers_see_one_moment_and_do_not_wait(tmp_path: Path) -> None:
    store = open_store(tmp_path / "workbench.db")
    with store.read() as reader:
        assert all_people(reader) == []
        with store.write() as writer:
            add_person(writer, "ann")
        assert all_people(reader) == []
    with store.read() as reader:
        assert len(all_people(reader)) == 1
    store.close()


def test_writers_come_one_after_another(tmp_path: Path) -> None:
    store = open_store(tmp_path / "workbench.db")
    failed: list[BaseException] = []

    def register(number: int) -> None:
        try:
            for at in range(20):
                with store.write() as connection:
                    # Reads first: a transaction that begins as a reader would fail here.
                    all_people(connection)
                    add_person(connection, f"{number}-{at}")
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            failed.append(error)

    threads = [threading.Thread(target=register, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    with store.read() as connection:
        assert len(all_people(connection)) == 80
    store.close()


def test_a_lock_that_lasts_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builder.store.engine.BUSY_SECONDS", 0.05)
    store = open_store(tmp_path / "workbench.db")
    with (
        store.write(),
        pytest.raises(WorkspaceError, match="Another process has been writing"),
        store.write(),
    ):
        pass
    store.close()


def opening_seconds(path: Path) -> float:
    begun = time.perf_counter()
    open_store(path).close()
    return time.perf_counter() - begun


def test_opening_is_cheap_and_needs_no_alembic(tmp_path: Path) -> None:
    path = tmp_path / "workbench.db"
    open_store(path).close()
    assert min(opening_seconds(path) for _ in range(5)) < 0.05
    look = (
        "import sys; from pathlib import Path; from builder.store import open_store; "
        "open_store(Path(sys.argv[1])).close(); "
        "sys.exit(any(name.startswith('alembic') for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", look, str(path)], check=True)


def test_a_session_takes_its_temporary_tables_with_it(tmp_path: Path) -> None:
    store: Store = open_store(tmp_path / "workbench.db")
    for _ in range(2):
        with store.session() as connection, connection.begin():
            connection.execute(text("CREATE TEMPORARY TABLE waiting (n INTEGER)"))
    store.close()
