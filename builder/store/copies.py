"""Copies of workbench.db by SQLite's backup: of one consistent moment, while others write.

Knows files and pages, not what is in them but for the marks by which our own schema is recognised.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from builder.errors import WorkspaceError
from builder.store.engine import BUSY_SECONDS
from builder.store.revisions import revisions
from builder.store.synthesis_schema import metadata

_REVISION = "SELECT version_num FROM alembic_version"
_WAITS = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_FOREIGN = "The file is a database, but none of Goldsmith's"


def copy_database(source: Path, target: Path, *, check: bool = True) -> None:
    """Copy the database of this moment: when it returns, `target` is whole and on the disk.

    Until then nothing is at `target`, or what was there before. Writers are not kept waiting.

    Args:
        source: A database, also one in use.
        target: The copy: one file that needs no others.
        check: Whether to read the copy through and refuse one that is damaged.

    Raises:
        WorkspaceError: The source cannot be read or is damaged, or the target not written.
    """
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with (
            _told(source),
            closing(_reader(source)) as origin,
            closing(_scratch(unfinished)) as copy,
        ):
            origin.backup(copy)
            # The copy has taken over the journal in several files: one file is easier to keep.
            copy.execute("PRAGMA journal_mode = DELETE").fetchone()
            if check:
                _refuse_damaged(copy, "quick_check", source)
        flush(unfinished)
        unfinished.replace(target)
        flush(target.parent)
    except OSError as error:
        raise WorkspaceError(
            f"The copy cannot be written: {error.strerror}.", where=str(target)
        ) from error
    finally:
        for leftover in ("", "-journal", "-wal", "-shm"):
            unfinished.with_name(unfinished.name + leftover).unlink(missing_ok=True)


def check_database(path: Path) -> str:
    """The revision of our schema that the database has; every page of it was looked at.

    Raises:
        WorkspaceError: It is damaged, none of ours, or of a newer Goldsmith.
    """
    with _told(path), closing(_reader(path)) as connection:
        _refuse_damaged(connection, "integrity_check", path)
        revision = _revision(connection, path)
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
    if orphans:
        raise WorkspaceError(
            f"The database is damaged: {len(orphans):,} rows refer to others that are not there.",
            where=str(path),
        )
    return revision


def revision_of(path: Path) -> str:
    """The revision of our schema that the database has, without a look at all its pages.

    Raises:
        WorkspaceError: It is none of ours, or of a newer Goldsmith.
    """
    with _told(path), closing(_reader(path)) as connection:
        return _revision(connection, path)


def check_columns(path: Path) -> None:
    """Make sure that every table and column of this Goldsmith's schema is there.

    Raises:
        WorkspaceError: One is not.
    """
    with _told(path), closing(_reader(path)) as connection:
        for table in metadata.sorted_tables:
            found = connection.execute("SELECT name FROM pragma_table_info(?)", [table.name])
            lacking = {column.name for column in table.columns} - {name for (name,) in found}
            if lacking:
                raise WorkspaceError(
                    f"{_FOREIGN}: {table.name} lacks {', '.join(sorted(lacking))}.",
                    where=str(path),
                )


def match_page_size(path: Path, model: Path) -> None:
    """Give the database the page size of another one: only then can it replace its content."""
    with _told(path), closing(_reader(model)) as other, closing(_writer(path)) as connection:
        (size,) = other.execute("PRAGMA page_size").fetchone()
        if connection.execute("PRAGMA page_size").fetchone() != (size,):
            connection.execute("PRAGMA journal_mode = DELETE").fetchone()
            connection.execute(f"PRAGMA page_size = {size:d}")
            connection.execute("VACUUM")


def replace_content(live: Path, new: Path, keep_present: Callable[[], None]) -> None:
    """Give the database in use the content of another one: all of it in one transaction.

    Who reads goes on with what was there; who wants to write waits. A process that dies meanwhile
    leaves the content as it was.

    Args:
        live: The database in use.
        new: The content that it gets, with the same page size.
        keep_present: Called when nobody else can write any more and nothing is changed yet; if it
            raises, nothing is.

    Raises:
        WorkspaceError: Another process has been writing for 30 s.
        sqlite3.DatabaseError: The database in use is damaged.
    """
    waiting = _Waiting(live, keep_present)
    with closing(_reader(new)) as source, closing(_writer(live)) as target:
        # By single pages: the first one takes the lock, and is not yet the whole.
        source.backup(target, pages=1, progress=waiting.step_done, sleep=0.05)
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


class _Waiting:
    """Looks at each step of a replacement: keeps the present content first, waits not for ever."""

    def __init__(self, live: Path, keep_present: Callable[[], None]) -> None:
        self._live = live
        self._keep_present = keep_present
        self._is_kept = False
        self._deadline = time.monotonic() + BUSY_SECONDS

    def step_done(self, status: int, _remaining: int, _total: int) -> None:
        """What SQLite calls after each step."""
        if status in _WAITS:
            if time.monotonic() > self._deadline:
                raise WorkspaceError(
                    f"Another process has been writing to this workspace for {BUSY_SECONDS} s.",
                    where=str(self._live),
                    hint="Wait until its import or job is done, then try again.",
                )
        elif not self._is_kept:
            self._keep_present()
            self._is_kept = True


def flush(path: Path) -> None:
    """Have the disk keep the file, or the names in the folder; where folders can be flushed."""
    try:
        opened = os.open(path, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _revision(connection: sqlite3.Connection, path: Path) -> str:
    objects = connection.execute("SELECT type, name FROM sqlite_master").fetchall()
    tables = {name for kind, name in objects if kind == "table"}
    if not {"alembic_version", "pairs", "judgments"} <= tables:
        raise WorkspaceError(f"{_FOREIGN}.", where=str(path))
    strange = sorted(name for kind, name in objects if kind in ("trigger", "view"))
    if strange:
        raise WorkspaceError(
            f"{_FOREIGN}: it holds statements of its own ({', '.join(strange)}).", where=str(path)
        )
    row = connection.execute(_REVISION).fetchone()
    if row is None:
        raise WorkspaceError(f"{_FOREIGN}: it names no schema.", where=str(path))
    _refuse_newer(str(row[0]), path)
    return str(row[0])


def _refuse_newer(revision: str, path: Path) -> None:
    known = revisions()
    if revision not in known:
        raise WorkspaceError(
            f"The database is of a newer Goldsmith: its schema is {revision}, this Goldsmith knows "
            f"{known[-1]} and older ones.",
            where=str(path),
            hint="Update Goldsmith (git pull, then make install), then try again.",
        )


def _refuse_damaged(connection: sqlite3.Connection, check: str, path: Path) -> None:
    faults = [fault for (fault,) in connection.execute(f"PRAGMA {check}(3)")]
    if faults != ["ok"]:
        raise WorkspaceError(f"The database is damaged: {'; '.join(faults)}.", where=str(path))


def _reader(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing; also to a file that lies where nobody may write."""
    address = path.absolute().as_uri()
    connection = sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=BUSY_SECONDS)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        if path.with_name(f"{path.name}-wal").exists():
            raise
        return sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _writer(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _scratch(path: Path) -> sqlite3.Connection:
    """A new file that nobody reads before it is whole: it needs no journal."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = OFF").fetchone()
    connection.execute("PRAGMA synchronous = OFF")
    return connection


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say in words what SQLite could not do."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise WorkspaceError(
            f"The database cannot be read: {error}.",
            where=str(path),
            hint="See whether the file is a whole workbench.db and the disk is not full.",
        ) from error
