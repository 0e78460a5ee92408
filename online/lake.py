"""The lake: what users did, as Parquet files by UTC day under one manifest and one writer lock.

    events/
    ├── manifest.json        which files the lake consists of; replaced atomically
    ├── writer.lock          one writer at a time
    ├── searches/date=2026-11-30/*.parquet
    ├── interactions/date=2026-11-30/*.parquet
    └── scratch/             an import at work; whatever lies here is rubbish once the lock is free

Readers read the files that the manifest names and nothing else, so an import that is killed leaves
the lake as it was: its files, named by no manifest, are swept by the next writer. Files are never
changed, only added; the day that replaces files must keep the old ones for readers at work.
"""

import glob
import shutil
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import duckdb
from filelock import FileLock, Timeout

from online.events import OnlineError
from online.manifest import (
    TABLES,
    DayFile,
    Manifest,
    TableName,
    flush_files,
    flush_folder,
    new_manifest,
    read_manifest,
    write_manifest,
)

Connection: TypeAlias = duckdb.DuckDBPyConnection
Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Called with what is done, how much, and of how much (None: unknown); may raise to cancel."""

READER_MEMORY = "2GB"
WRITER_MEMORY = "1GB"
LONGEST_WAIT_S = 3600.0
LEFT_SPILL_AGE_S = 24 * 3600

PARQUET = (
    "(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, PARTITION_BY (date), "
    "OVERWRITE_OR_IGNORE)"
)
"""Level 1 writes a fifth faster than zstd's usual 3, and its files are hardly larger."""

SEARCHES = {
    "timestamp": "TIMESTAMPTZ",
    "search_key": "BIGINT",
    "event_id": "VARCHAR",
    "query": "VARCHAR",
    "session_id": "VARCHAR",
    "session_given": "BOOLEAN",
    "model_version": "VARCHAR",
    "retrieved_doc_ids": "VARCHAR[]",
    "n_results": "INTEGER",
    "n_clicks": "INTEGER",
    "n_ranked_clicks": "INTEGER",
    "n_top_clicks": "INTEGER",
    "best_click_rank": "INTEGER",
    "first_click_rank": "INTEGER",
    "best_click_doc_id": "VARCHAR",
    "best_click_position": "INTEGER",
    "n_conversions": "INTEGER",
    "dwell_s": "DOUBLE",
    "extra": "VARCHAR",
    "zone_assumed": "BOOLEAN",
    "line": "BIGINT",
    "date": "DATE",
    "search_id": "VARCHAR",
    "row_key": "BIGINT",
    "user_id": "VARCHAR",
    "tags": "VARCHAR[]",
    "results_offset": "INTEGER",
    "total_hits": "BIGINT",
    "latency_ms": "DOUBLE",
    "first_click_s": "DOUBLE",
    "conversion_value": "DOUBLE",
    "active_until": "TIMESTAMPTZ",
    "last_row_at": "TIMESTAMPTZ",
}
"""Columns of `searches`, one row a search.

`search_key` is a hash of `search_id`, where the log names one; else of all that the log line said,
which with `timestamp` is the identity of a row without `event_id`. `row_key` is then the hash of
the row that began the search (NULL without `search_id`: `search_key` is that hash); all other rows
of the search left a row in `interactions`. `timestamp` is that of the earliest row; query, results
and model are those of the latest, whose time is `last_row_at` (NULL: there was one row).

`session_given` tells a session of the log from one made up: "user:ID:MICROSECONDS" for a user's
searches without 30 minutes of silence between them, "search:KEY" for a search of its own.
`retrieved_doc_ids` begins behind `results_offset` results (NULL: 0) and holds NULL where a page
between two others is not known; it is NULL, as is `n_results`, where the log does not tell results.
`n_ranked_clicks` counts clicks whose rank is known, `n_top_clicks` those at rank 1 or 2.
`best_click_position` is the place in `retrieved_doc_ids`, NULL for a click outside of it.
`n_conversions`, `conversion_value` and `dwell_s` (the longest among its clicks) are NULL where the
log has no such thing; `first_click_s` is the time from the search to its first click, NULL where
clicks have no time. `active_until` is the time of the last thing that happened in the search (NULL:
its own). `extra` holds the further keys of the line as JSON; `line` is its number in the imported
file.
"""

INTERACTIONS = {
    "timestamp": "TIMESTAMPTZ",
    "search_key": "BIGINT",
    "session_id": "VARCHAR",
    "model_version": "VARCHAR",
    "kind": "VARCHAR",
    "doc_id": "VARCHAR",
    "rank": "INTEGER",
    "position": "INTEGER",
    "occurred_at": "TIMESTAMPTZ",
    "dwell_s": "DOUBLE",
    "value": "DOUBLE",
    "date": "DATE",
    "joined": "BOOLEAN",
    "action": "VARCHAR",
    "search_id": "VARCHAR",
    "user_id": "VARCHAR",
    "event_id": "VARCHAR",
    "row_key": "BIGINT",
    "extra": "VARCHAR",
}
"""Columns of `interactions`, one row for each thing that happened in a search.

`kind` is "click", "conversion", "impression" (a document was shown), "page" (a further row of the
search itself, such as its next page) or "other" (known to the log alone, by its word in `action`).
`timestamp` and `date` are those of its search; `occurred_at` is its own time where the log has one.
`joined` is FALSE where the lake does not know the search (yet): `timestamp` is then its own time
and `model_version` NULL; NULL means TRUE. `row_key` is the hash of the log's row that told it.
"""

COLUMNS: dict[TableName, dict[str, str]] = {"searches": SEARCHES, "interactions": INTERACTIONS}


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
        """A DuckDB connection with the views `searches` and `interactions` of this moment.

        What the connection reads stays the same however many imports are committed meanwhile. Use
        `.cursor()` for each thread.

        Yields:
            The connection, in UTC; closed at the end.
        """
        with open_engine(self.root / f".spill-{uuid.uuid4().hex}", READER_MEMORY) as connection:
            manifest = self.manifest()
            for table in TABLES:
                paths = [self.root / file.path for file in manifest.files(table)]
                create_view(connection, table, paths, COLUMNS[table])
            yield connection

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
                    progress("waiting for another import", round(waited), None)
        try:
            yield
        finally:
            lock.release()

    def _sweep(self, manifest: Manifest) -> None:
        """Delete what no manifest names: only killed imports leave such files."""
        named = {self.root / file.path for table in TABLES for file in manifest.files(table)}
        for table in TABLES:
            for file in (self.root / table).glob("date=*/*"):
                if file not in named:
                    file.unlink()
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
        placed: Table -> files that were moved into the lake and wait for `commit`.
    """

    root: Path
    manifest: Manifest
    scratch: Path
    connection: Connection
    placed: dict[TableName, tuple[DayFile, ...]] = field(default_factory=dict)

    def view(self, name: str, files: Iterable[DayFile]) -> None:
        """Create a view over these files of the table `searches`."""
        create_view(self.connection, name, [self.root / file.path for file in files], SEARCHES)

    def place(self, table: TableName, written: Path) -> None:
        """Move the folders date=…/*.parquet in `written` into the lake; no reader sees them yet."""
        files = sorted(written.glob("date=*/*.parquet"))
        flush_files(files)
        counts = _rows_and_event_ids(self.connection, table, files)
        placed = []
        for number, file in enumerate(files):
            day = self.root / table / file.parent.name
            day.mkdir(parents=True, exist_ok=True)
            target = day / f"{self.manifest.commit + 1}-{number}.parquet"
            file.replace(target)
            relative = target.relative_to(self.root).as_posix()
            rows, event_ids = counts[str(file)]
            placed.append(DayFile(relative, day.name.removeprefix("date="), rows, event_ids))
        for folder in {(self.root / file.path).parent for file in placed}:
            flush_folder(folder)
        self.placed[table] = tuple(placed)

    def commit(self) -> Manifest:
        """Show what was placed to all readers, at once."""
        self.manifest = self.manifest.with_files(
            self.placed.pop("searches", ()), self.placed.pop("interactions", ())
        )
        write_manifest(self.root, self.manifest)
        return self.manifest


@contextmanager
def open_engine(spill: Path, memory: str) -> Iterator[Connection]:
    """A DuckDB connection of our settings, closed at the end, that never reaches for a network.

    Args:
        spill: Where DuckDB keeps what does not fit into memory; made when needed, deleted here.
        memory: How much it may use, such as "2GB".

    Yields:
        The connection; its time zone is UTC whatever the machine's is.
    """
    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "memory_limit": memory,
            "temp_directory": str(spill),
            "preserve_insertion_order": "false",
            # The usual 524,288 rows a thread fill the memory of a writer, which then spills: a
            # fifth more work and twice the memory for the same files.
            "partitioned_write_flush_threshold": "16384",
        }
    )
    try:
        # DuckDB would draw its progress on stdout, where `--json` prints its one document.
        connection.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
        yield connection
    finally:
        connection.close()
        shutil.rmtree(spill, ignore_errors=True)


def create_view(
    connection: Connection, name: str, files: list[Path], columns: Mapping[str, str]
) -> None:
    """Create the view `name` over these files; over none it has all columns and no rows.

    Columns that an older file lacks, or that all of them lack, read as NULL.
    """
    if not files:
        typed = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
        connection.execute(f'CREATE TABLE "{name}" ({typed})')
        return
    paths = [_literal(file) for file in files]
    rows = connection.read_parquet(paths, hive_partitioning=True, union_by_name=True)
    there = set(rows.columns)
    selected = (
        f'"{column}"' if column in there else f'CAST(NULL AS {kind}) AS "{column}"'
        for column, kind in columns.items()
    )
    rows.project(", ".join(selected)).create_view(name)


def write_days(connection: Connection, query: str, folder: Path) -> None:
    """Write the rows of a query as Parquet files folder/date=…/*.parquet, by its column `date`."""
    folder.mkdir(parents=True, exist_ok=True)
    target = str(folder).replace("'", "''")
    connection.execute(f"COPY ({query}) TO '{target}' {PARQUET}")


def _literal(path: Path) -> str:
    """A path that DuckDB takes as it stands, even where a folder is called "a[1]"."""
    return glob.escape(str(path))


def _rows_and_event_ids(
    connection: Connection, table: TableName, files: list[Path]
) -> dict[str, tuple[int, int]]:
    """File -> its rows and how many of them carry an event_id."""
    if not files:
        return {}
    rows = connection.read_parquet([_literal(file) for file in files], filename=True)
    event_ids = "count(event_id)" if table == "searches" else "0"
    counted = rows.aggregate(f"filename, count(*), {event_ids}", "filename").fetchall()
    return {str(name): (int(n), int(with_id)) for name, n, with_id in counted}
