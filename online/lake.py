"""The lake: what users did, as Parquet files by UTC day under one manifest and one writer lock.

    events/
    ├── manifest.json        which files the lake consists of; replaced atomically
    ├── writer.lock          one writer at a time
    ├── searches/date=2026-11-30/*.parquet
    ├── interactions/date=2026-11-30/*.parquet
    ├── hours/date=2026-11-30/*.parquet
    ├── bots/*.parquet       one small file
    └── scratch/             an import at work; whatever lies here is rubbish once the lock is free

Readers read the files that the manifest names and nothing else, so an import that is killed leaves
the lake as it was: its files, named by no manifest, are swept by the next writer. Files are never
changed: a day is written anew beside its old files, which the manifest then names as retired. A
writer that comes an hour later sweeps them; until then a reader who began before can read on. The
files of before the latest import stay until the next one, so that it can be taken back
(online/undoing.py).
"""

import shutil
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

import duckdb
from filelock import FileLock, Timeout

from online.columns import BOTS, COLUMNS, INTERACTIONS, SEARCHES
from online.connections import (
    READER_MEMORY,
    WRITER_MEMORY,
    Connection,
    columns_of,
    create_view,
    create_view_of_alike,
    literal,
    open_engine,
    write_days,
)
from online.events import OnlineError
from online.manifest import (
    TABLES,
    DayFile,
    Former,
    LatestImport,
    Manifest,
    NoUndo,
    TableName,
    WholeFile,
    delete_all_but,
    flush_files,
    flush_folder,
    new_manifest,
    read_manifest,
    write_manifest,
)
from online.rollup import is_current, place_hours, show_days_without_hours

__all__ = [
    "COLUMNS",
    "INTERACTIONS",
    "SEARCHES",
    "Connection",
    "Lake",
    "Progress",
    "Writing",
    "create_view",
    "open_engine",
    "write_days",
]

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Called with what is done, how much, and of how much (None: unknown); may raise to cancel."""

LONGEST_WAIT_S = 3600.0
LEFT_SPILL_AGE_S = 24 * 3600


class Lake:
    """A lake in a folder, which need not exist yet.

    Attributes:
        root: The folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def __repr__(self) -> str:
        return f"Lake({str(self.root)!r})"

    @property
    def version(self) -> str:
        """Differs between any two states of the lake: a key for caches; "empty" for none yet."""
        manifest = read_manifest(self.root)
        return manifest.version if manifest else "empty"

    def manifest(self) -> Manifest:
        """The files of this moment; of an empty lake where there is none.

        Raises:
            OnlineError: The manifest is damaged, lost, or of a newer Goldsmith.
        """
        return read_manifest(self.root) or Manifest(lake_id="empty")

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """A DuckDB connection with the views searches, interactions, hours, bots of this moment.

        What the connection reads stays the same for an hour, however many imports are committed
        meanwhile. Use `.cursor()` for each thread.

        Yields:
            The connection, in UTC; closed at the end.

        Raises:
            OnlineError: Events were erased while they were read.
        """
        with open_engine(self.root / f".spill-{uuid.uuid4().hex}", READER_MEMORY) as connection:
            manifest = self._show(connection)
            try:
                yield connection
            except duckdb.IOException as error:
                if not self._lacks_file(manifest):
                    raise
                what = "events were erased while they were read"
                raise OnlineError(what, where=str(self.root), hint="try again") from error

    def _show(self, connection: Connection) -> Manifest:
        """Create the views; anew where their files were erased at this very moment."""
        while True:
            manifest = self.manifest()
            connection.execute("BEGIN")
            try:
                for table in TABLES:
                    files = manifest.files(table)
                    if table == "hours":
                        files = tuple(file for file in files if is_current(file))
                        show_days_without_hours(connection, manifest.searches, files)
                    create_view_of_alike(
                        connection, table, _alike(self.root, files), COLUMNS[table]
                    )
                bots = [self.root / manifest.bots.path] if manifest.bots else []
                create_view(connection, "bots", bots, BOTS)
            except duckdb.IOException as error:
                connection.execute("ROLLBACK")
                if self.version == manifest.version:
                    what = f"the lake cannot be read: {str(error).splitlines()[0]}"
                    hint = "put the file back from a backup"
                    raise OnlineError(what, where=str(self.root), hint=hint) from error
            else:
                connection.execute("COMMIT")
                return manifest

    def _lacks_file(self, manifest: Manifest) -> bool:
        """Whether a file that this manifest names was erased since."""
        files = {file.path for table in TABLES for file in manifest.files(table)}
        files |= {manifest.bots.path} if manifest.bots else set()
        return any(not (self.root / path).exists() for path in files)

    @contextmanager
    def writing(
        self, progress: Progress | None = None, *, longest_wait_s: float = LONGEST_WAIT_S
    ) -> "Iterator[Writing]":
        """The right to write, waited for; what killed writers left is swept first.

        Args:
            progress: Told that we wait for another import; may raise to cancel.
            longest_wait_s: After how many seconds of waiting to give up.

        Yields:
            What to write with; without `commit` the lake stays as it was.

        Raises:
            OnlineError: Another import did not finish in time, or the manifest is damaged.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        with self._locked(progress, longest_wait_s):
            manifest = read_manifest(self.root)
            if manifest is None:
                manifest = new_manifest()
                write_manifest(self.root, manifest)
            manifest = manifest.without_old_retired(datetime.now(UTC))
            self._sweep(manifest)
            scratch = self.root / "scratch"
            scratch.mkdir()
            try:
                with open_engine(scratch / "spill", WRITER_MEMORY) as connection:
                    yield Writing(self.root, manifest, scratch, connection)
            finally:
                shutil.rmtree(scratch)

    @contextmanager
    def _locked(self, progress: Progress | None, longest_wait_s: float) -> Iterator[None]:
        lock = FileLock(self.root / "writer.lock")
        begun = time.monotonic()
        while not lock.is_locked:
            waited = time.monotonic() - begun
            try:
                lock.acquire(timeout=0.25)
            except Timeout:
                if waited > longest_wait_s:
                    raise OnlineError(
                        f"another import has held the lake for {waited:.0f} s",
                        where=str(self.root),
                        hint="wait for it to end, or end it, then import again",
                    ) from None
                if progress:
                    progress("waiting for another import, in seconds", round(waited), None)
        try:
            yield
        finally:
            lock.release()

    def _sweep(self, manifest: Manifest) -> None:
        """Delete what the manifest does not name: of killed imports, and retired long ago."""
        delete_all_but(self.root, manifest.paths)
        for folder in [self.root / "scratch", *self._abandoned_spills()]:
            shutil.rmtree(folder, ignore_errors=True)

    def _abandoned_spills(self) -> list[Path]:
        """Where killed readers kept what did not fit into memory; a reader at work is younger."""
        oldest = time.time() - LEFT_SPILL_AGE_S
        return [path for path in self.root.glob(".spill-*") if path.stat().st_mtime < oldest]


@dataclass(slots=True)
class Writing:
    """The right to write to a lake, held while its `Lake.writing` lasts.

    Attributes:
        root: The lake's folder.
        manifest: The lake as it is.
        scratch: An empty folder on the lake's disk, deleted in the end.
        connection: A DuckDB connection that spills into the scratch folder.
        bots: The file of the table `bots` from the next commit on.
        rank_bases: What the first rank is in what an application logs, 0 or 1; to be added to.
        placed: Table -> files that were moved into the lake and wait for `commit`.
        emptied: Table -> days whose present files go with the next commit.
        latest: The import that can be taken back from the next commit on; None: none can.
        no_undo: Why none can.
    """

    root: Path
    manifest: Manifest
    scratch: Path
    connection: Connection
    bots: WholeFile | None = field(init=False)
    rank_bases: dict[str, int] = field(init=False)
    placed: dict[TableName, list[DayFile]] = field(init=False)
    emptied: dict[TableName, set[str]] = field(init=False)
    latest: LatestImport | None = field(init=False)
    no_undo: NoUndo = field(init=False)

    def __post_init__(self) -> None:
        self._begin()

    def view(self, name: str, files: Iterable[DayFile], table: TableName = "searches") -> None:
        """Create a view over these files of a table."""
        create_view_of_alike(self.connection, name, _alike(self.root, files), COLUMNS[table])

    def files(self, table: TableName) -> tuple[DayFile, ...]:
        """The files that a table will have after the commit, by what was placed so far."""
        gone = self.emptied[table]
        kept = [file for file in self.manifest.files(table) if file.date not in gone]
        return (*kept, *self.placed[table])

    def place(
        self, table: TableName, written: Path, *, replaces: Collection[str] = (), mark: str = ""
    ) -> None:
        """Move the folders date=…/*.parquet in `written` into the lake; no reader sees them yet.

        Args:
            table: Whose files they are.
            written: The folder; it may hold none, or be absent.
            replaces: Days such as "2026-11-30" whose files of before the commit leave the table; a
                day without a written file is empty then.
            mark: Stands in the names of the files.
        """
        files = sorted(written.glob("date=*/*.parquet"))
        flush_files(files)
        counts = _rows_and_event_ids(self.connection, table, files)
        columns = columns_of(self.connection, files)
        placed = self.placed[table]
        for file in files:
            day = self.root / table / file.parent.name
            day.mkdir(parents=True, exist_ok=True)
            name = f"{self.manifest.commit + 1}-{len(placed)}" + (f"-{mark}" if mark else "")
            target = day / f"{name}.parquet"
            file.replace(target)
            relative = target.relative_to(self.root).as_posix()
            rows, event_ids = counts[str(file)]
            date = day.name.removeprefix("date=")
            placed.append(DayFile(relative, date, rows, event_ids, columns[str(file)]))
        for folder in {(self.root / file.path).parent for file in placed}:
            flush_folder(folder)
        self.emptied[table] |= set(replaces)

    def place_bots(self, written: Path | None) -> None:
        """Move a Parquet file into the lake as its table `bots`, or (None) leave that empty."""
        if written is None:
            self.bots = None
            return
        flush_files([written])
        ((rows,),) = self.connection.read_parquet(literal(written)).aggregate("count(*)").fetchall()
        target = self.root / "bots" / f"{self.manifest.commit + 1}.parquet"
        target.parent.mkdir(exist_ok=True)
        written.replace(target)
        flush_folder(target.parent)
        self.bots = WholeFile(target.relative_to(self.root).as_posix(), int(rows))

    def commit(self, *, erase: bool = False, count: bool = True) -> Manifest:
        """Show what was placed to all readers, at once.

        Days whose searches or interactions changed get new `hours`: no count outlives what it
        counted.

        Args:
            erase: Delete replaced files now, those of earlier commits too, though somebody reads.
            count: FALSE after `restore`, which brings the `hours` that there were.
        """
        if count:
            place_hours(self, self._changed_days("searches") | self._changed_days("interactions"))
        searches, interactions, hours = map(self.files, TABLES)
        state = Former(searches, interactions, hours, self.bots, self.rank_bases)
        after = self.manifest.next(state, datetime.now(UTC), self.latest, self.no_undo)
        self.manifest = replace(after, retired=()) if erase else after
        write_manifest(self.root, self.manifest)
        if erase:
            delete_all_but(self.root, self.manifest.paths)
        self._begin()
        return self.manifest

    def note_import(self, name: str, accepted: int) -> None:
        """With the next commit comes an import, which can be taken back until the one after it.

        Args:
            name: Of its file.
            accepted: How many of its rows were accepted.
        """
        at = datetime.now(UTC).isoformat(timespec="seconds")
        now = self.manifest
        self.latest = LatestImport(name, at, accepted, now.commit + 1, now.state)
        self.no_undo = ""

    def forbid_undo(self, why: NoUndo) -> None:
        """From the next commit on no import can be taken back: what was before must not return."""
        self.latest, self.no_undo = None, why

    def change_former(self, change: Callable[[Former], Former]) -> None:
        """What happens to the lake now happens to its state of before the latest import, too."""
        if self.latest:
            self.latest = replace(self.latest, before=change(self.latest.before))

    def restore(self, former: Former) -> None:
        """After `commit(count=False)` the lake consists of these files, all of which are there."""
        for table in TABLES:
            self.emptied[table] = {file.date for file in self.manifest.files(table)}
            self.placed[table] = list(former.files(table))
        self.bots, self.rank_bases = former.bots, dict(former.rank_bases)

    def _begin(self) -> None:
        """Nothing is changed yet."""
        self.bots = self.manifest.bots
        self.rank_bases = dict(self.manifest.rank_bases)
        self.latest, self.no_undo = self.manifest.latest, self.manifest.no_undo
        self.placed = {table: [] for table in TABLES}
        self.emptied = {table: set() for table in TABLES}

    def _changed_days(self, table: TableName) -> set[str]:
        return self.emptied[table] | {file.date for file in self.placed[table]}


def _alike(root: Path, files: Iterable[DayFile]) -> dict[str, list[Path]]:
    """Digest of columns -> the files that have these."""
    alike: dict[str, list[Path]] = {}
    for file in files:
        alike.setdefault(file.columns, []).append(root / file.path)
    return alike


def _rows_and_event_ids(
    connection: Connection, table: TableName, files: list[Path]
) -> dict[str, tuple[int, int]]:
    """File -> its rows and how many of them carry an event_id."""
    if not files:
        return {}
    rows = connection.read_parquet([literal(file) for file in files], filename=True)
    event_ids = "count(event_id)" if table == "searches" else "0"
    counted = rows.aggregate(f"filename, count(*), {event_ids}", "filename").fetchall()
    return {str(name): (int(n), int(with_id)) for name, n, with_id in counted}
