"""Brings a search log into the lake: nothing lost silently, nothing inferred, nothing half there.

The log streams through one DuckDB statement that checks each line and writes good rows as the
Parquet files of their days, bad ones aside. What needs the whole log (ranks that count from 0,
repeats, conflicts) is settled afterwards on few narrow columns, and only days that lose or change
a row are written again. Then the files move into the lake and the manifest shows them at once.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import duckdb

from online.events import OnlineError
from online.lake import SEARCHES, Connection, Lake, Progress, Writing, create_view, write_days
from online.quarantine import write_quarantine
from online.sources.mapping import TableMap
from online.sources.recognise import open_source
from online.sources.source import Source
from online.sql import sql
from online.tally import EventTally

if TYPE_CHECKING:
    import pyarrow as pa

FETCHED_ROWS = 10_000
LONG_BYTES = 4 << 20
"""Looking at an odd line of 17 MB takes 600 MB: such lines are looked at one by one."""
AGREEING_CLICKS = 20
"""How many clicks must agree, without exception, that ranks count from 0, before we shift them."""


def import_events(  # noqa: PLR0913 - all of them may have to be said of a log
    lake: Lake,
    file: Path,
    *,
    quarantine_folder: Path,
    timezone: str | None = None,
    rank_base: int | None = None,
    progress: Progress | None = None,
    format: str | None = None,  # noqa: A002 - the name of the command's option
    table: str | None = None,
    mapping: TableMap | Path | None = None,
    keep_days: int | None = None,  # noqa: ARG001
) -> EventTally:
    """Import a log of searches, one JSON object a line, plain or gz.

    Each line is one search with at most one click (`SearchEvent`). Lines with one `search_id` are
    not joined. Identity is `event_id`, else the content: what is in the lake already counts as
    duplicate, so a second import of a log accepts nothing; an `event_id` with other content is
    quarantined as `conflict`. Ranks stay as logged, unless the log counts from 0.

    Args:
        lake: Where the searches go. Another import at work is waited for.
        file: The log.
        quarantine_folder: Where lines that are no searches go, with their reasons.
        timezone: The zone of timestamps that name none, such as "Europe/Berlin"; None quarantines
            them. Of an hour that a clock change repeats, the later one is meant.
        rank_base: 0 where the first result has rank 0, 1 where it has rank 1; None shifts ranks
            only where a rank 0 occurs and `AGREEING_CLICKS` clicks or more agree on 0 without
            exception, and says so in the notes.
        progress: Told what is done; may raise to cancel, which leaves the lake as it was.
        format: What the file is, where its content leaves doubt; as `open_source` names formats.
        table: The table of a database.
        mapping: What the columns of a foreign table mean, or the file that says it; of constants
            alone: what is to be put where a row says nothing, such as its `model_version`.
        keep_days: Rows from before so many days ago are not taken; None takes all.

    Returns:
        What became of the lines; blank ones do not count. The notes count rows that were kept but
        are odd: `off_list`, `rank_mismatch`, `click_without_rank`, `empty_query`, `no_session`,
        `further_keys`, `ranks_shifted`, `zone_assumed`; and `identical_rows`, rows without an
        event_id that equal an earlier row of the log and were taken as duplicates.

    Raises:
        OnlineError: The file is absent, no JSON Lines, or damaged; an argument is wrong; or the
            lake cannot be written.
    """
    _check_arguments(timezone, rank_base)
    with closing(open_source(file, format=format, table=table, mapping=mapping)) as log:
        try:
            with lake.writing(progress) as writing:
                return _Import(writing, log, progress).run(quarantine_folder, timezone, rank_base)
        except (duckdb.IOException, duckdb.OutOfMemoryException, OSError) as error:
            what = str(error).splitlines()[0]
            hint = "nothing was imported; look for space and permissions there"
            raise OnlineError(f"cannot write: {what}", where=str(lake.root), hint=hint) from error


def _check_arguments(timezone: str | None, rank_base: int | None) -> None:
    if rank_base not in (None, 0, 1):
        raise OnlineError(f"rank base {rank_base} is neither 0 nor 1")
    if timezone is None:
        return
    try:
        ZoneInfo(timezone)
    except (ValueError, OSError, KeyError):
        raise OnlineError(
            f"there is no time zone {timezone!r}", hint="name one such as Europe/Berlin or UTC"
        ) from None


@dataclass(slots=True)
class _Import:
    """One import at work; the lake is locked."""

    writing: Writing
    log: Source
    progress: Progress | None
    tally: EventTally = field(default_factory=EventTally)

    def run(self, quarantine: Path, timezone: str | None, rank_base: int | None) -> EventTally:
        """The whole import; until the last step nothing of it shows."""
        self._stage(timezone)
        self._find_repeats()
        self._find_rank_base(rank_base)
        self._accept()
        self._write("native_interactions", "interactions")
        self._count()
        self._quarantine(quarantine)
        self._commit()
        return self.tally

    def _stage(self, timezone: str | None) -> None:
        """Write all lines as rows, by day; lines that are no searches as date=rejected."""
        self._connection.execute("SET VARIABLE zone = ?", [timezone])
        self.log.scratch = self._scratch
        self._stage_lines("plain", self.log.plain())
        if self.log.n_odd:
            if self.log.longest_odd > LONG_BYTES:
                self._connection.execute("SET threads = 1; SET memory_limit = '2GB'")
            self._stage_lines("odd", self.log.odd())
        self._view("staged", "staged/*/date=[0-9]*")
        self._view("rejected", "staged/*/date=rejected")

    def _stage_lines(self, kind: str, lines: "pa.RecordBatchReader") -> None:
        self._connection.register("lines", lines)
        self._connection.execute(f"CREATE TEMP VIEW fields AS {sql(f'duckdb/{kind}_fields')}")
        self._watched(lambda: self._write("native_rows", f"staged/{kind}"))
        self._connection.execute("DROP VIEW fields")
        self._connection.unregister("lines")

    def _find_repeats(self) -> None:
        """Fill the table `dropped`: rows that are known already, and conflicts."""
        self._tell("looking for events that are known already")
        days = dict(self._connection.execute(sql("duckdb/staged_days")).fetchall())
        searches = self.writing.manifest.searches
        known = [file for file in searches if file.date in days]
        with_ids = [file for file in searches if file.event_ids and any(days.values())]
        self.writing.view("known", known)
        self.writing.view("lake_events", with_ids)
        self._connection.execute(f"CREATE TEMP TABLE dropped AS {sql('duckdb/repeats')}")

    def _find_rank_base(self, rank_base: int | None) -> None:
        """Decide by how much ranks move; rows that are left with a rank 0 are dropped."""
        zeros, votes, from_zero = self._row("rank_base")
        agreed = zeros > 0 and from_zero == votes >= AGREEING_CLICKS
        shift = int(agreed if rank_base is None else rank_base == 0)
        self._connection.execute("SET VARIABLE shift = CAST(? AS INTEGER)", [shift])
        if zeros and not shift:
            self._connection.execute(sql("duckdb/drop_rank_zero"))

    def _accept(self) -> None:
        """Bring what stays into the view `accepted`; only days that change are written again."""
        self._tell("settling repeats and ranks")
        days = self._connection.execute(sql("duckdb/changed_days")).fetchall()
        changed = {f"date={day}" for (day,) in days}
        staged = sorted(self._scratch.glob("staged/*/date=[0-9]*/*.parquet"))
        affected = [file for file in staged if file.parent.name in changed]
        create_view(self._connection, "affected", affected, SEARCHES)
        self._write("settled_rows", "settled")
        for number, file in enumerate(staged):
            if file.parent.name not in changed:
                day = self._scratch / "settled" / file.parent.name
                day.mkdir(exist_ok=True)
                file.rename(day / f"staged-{number}.parquet")
        self._view("accepted", "settled/date=*")

    def _count(self) -> None:
        accepted, duplicate, identical = self._row("tally")
        self.tally.accepted, self.tally.duplicate = accepted, duplicate
        notes = self._connection.execute(sql("duckdb/notes"))
        names = [column[0] for column in notes.description or ()]
        odd = dict(zip(names, notes.fetchone() or (), strict=True)) | {"identical_rows": identical}
        self.tally.notes.update({code: n for code, n in odd.items() if n})

    def _quarantine(self, folder: Path) -> None:
        self._tell("writing the quarantine")
        rejected = _streamed(self._connection.execute(sql("duckdb/rejected_lines")))
        written, reasons = write_quarantine(self.log, rejected, folder)
        self.tally.quarantine_file, self.tally.reasons = written, reasons

    def _commit(self) -> None:
        self._tell("moving the new days into the lake")
        if self.tally.accepted:
            self.writing.place("searches", self._scratch / "settled")
            self.writing.place("interactions", self._scratch / "interactions")
            self.writing.commit()

    @property
    def _connection(self) -> Connection:
        return self.writing.connection

    @property
    def _scratch(self) -> Path:
        return self.writing.scratch

    def _tell(self, what: str) -> None:
        if self.progress:
            self.progress(what, 0, None)

    def _tell_how_far(self) -> None:
        if self.progress:
            self.progress(f"reading {self.log.path.name}", self.log.bytes_read, self.log.size)

    def _view(self, name: str, pattern: str) -> None:
        files = sorted(self._scratch.glob(f"{pattern}/*.parquet"))
        create_view(self._connection, name, files, SEARCHES)

    def _row(self, query: str) -> tuple[Any, ...]:
        return self._connection.execute(sql(f"duckdb/{query}")).fetchall()[0]

    def _write(self, query: str, folder: str) -> None:
        """Write the rows of a query as Parquet files by day."""
        write_days(self._connection, sql(f"duckdb/{query}"), self._scratch / folder)

    def _watched(self, work: Callable[[], None]) -> None:
        """Do the work in a thread of its own, while this one tells how far it is."""
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(work)
            try:
                self._tell_how_far()
                while not wait([running], timeout=0.2).done:
                    self._tell_how_far()
            except BaseException:  # whatever cancels us: let the thread end first
                self._connection.interrupt()
                raise
        try:
            running.result()
        except duckdb.Error:
            if self.log.failure:
                raise self.log.failure from None
            raise


def _streamed(result: Connection) -> Iterator[tuple[Any, ...]]:
    while rows := result.fetchmany(FETCHED_ROWS):
        yield from rows
