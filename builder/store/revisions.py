"""Which schema a workbench.db has, and how an older one is brought up to date.

The revision is read by a plain query; Alembic is imported only where there is something to do.
"""

import re
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import DatabaseError

from builder.errors import WorkspaceError

MIGRATIONS = Path(__file__).parent / "migrations"

Writing = Callable[[Connection], AbstractContextManager[Connection]]


def revisions() -> list[str]:
    """The names of all revisions that this Goldsmith knows, the first one first."""
    files = (MIGRATIONS / "versions").glob("[0-9]*.py")
    return sorted(file.stem for file in files if re.match(r"\d{4}_\w+$", file.stem))


def bring_up_to_date(engine: Engine, path: Path, writing: Writing) -> None:
    """Make the schema in `path` that of this Goldsmith; after a backup copy if there was one.

    Raises:
        WorkspaceError: The file is no workbench, or of a newer Goldsmith; nothing was touched.
    """
    known = revisions()
    try:
        with engine.connect() as connection:
            with connection.begin():
                current = _revision(connection, path)
            _refuse_newer(current, known, path)
            _use_wal(connection)
            if current != known[-1]:
                with writing(connection):
                    _upgrade(connection, path, known)
    except DatabaseError as error:
        raise WorkspaceError(
            f"The workspace's database cannot be opened: {error.orig}.",
            where=str(path),
            hint="See whether the file and its folder may be written and the file is whole; copies "
            "may lie in the folder backups.",
        ) from error


def _revision(connection: Connection, path: Path) -> str | None:
    tables = inspect(connection).get_table_names()
    if "alembic_version" in tables:
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if tables:
        raise WorkspaceError("The file is a database, but none of Goldsmith's.", where=str(path))
    return None


def _refuse_newer(current: str | None, known: list[str], path: Path) -> None:
    if current is None or current in known:
        return
    raise WorkspaceError(
        f"The workspace was written by a newer Goldsmith: its schema is {current}, "
        f"this Goldsmith knows {known[-1]} and older ones. Nothing was changed.",
        where=str(path),
        hint="Update Goldsmith (git pull, then make install), then open the workspace again.",
    )


def _use_wal(connection: Connection) -> None:
    # Not in a transaction: SQLite changes the journal only outside of one.
    raw = connection.connection.driver_connection
    if not isinstance(raw, sqlite3.Connection):
        return
    if raw.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        raw.execute("PRAGMA journal_mode = WAL").fetchone()


def _upgrade(connection: Connection, path: Path, known: list[str]) -> None:
    # Read again: now that we hold the lock, another process may have done it all.
    current = _revision(connection, path)
    _refuse_newer(current, known, path)
    if current == known[-1]:
        return
    if current is not None:
        back_up(path, current)
    migrate(connection)


def back_up(path: Path, revision: str) -> Path:
    """Copy the database into `backups/` beside it by SQLite's backup; the path of the copy."""
    folder = path.parent / "backups"
    folder.mkdir(exist_ok=True)
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    copy = folder / f"{path.stem}-{revision}-{moment}.db"
    unfinished = copy.with_suffix(".part")
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(unfinished)) as target:
        source.backup(target)
    return unfinished.rename(copy)


def migrate(connection: Connection, revision: str = "head") -> None:
    """Run all steps up to `revision` in the transaction of `connection`: all of them or none."""
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    # Alembic reads % in its options as the begin of a placeholder.
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    command.upgrade(config, revision)
