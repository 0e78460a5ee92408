"""Brings a search log into the lake: nothing lost silently, nothing inferred, nothing half there.

The log streams through one DuckDB statement that checks each row and writes good ones as the
Parquet files of their days, bad ones aside (online/staging.py). What needs the whole log (ranks
that count from 0, repeats, conflicts) is settled afterwards on few narrow columns, and only days
that lose or change a row are written again. Rows that tell what happened in a search with a
search_id are joined to it (online/joining.py). Then the files move into the lake and the manifest
shows them at once.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb

from online.bots import flag_bots
from online.events import OnlineError
from online.forgetting import first_kept_day
from online.joining import BOTH, Joining
from online.lake import Connection, Lake, Progress, Writing, create_view, write_days
from online.quarantine import write_quarantine
from online.restoring import Restoring
from online.sources.lake_tables import LakeSource
from online.sources.mapping import TableMap
from online.sources.recognise import open_source
from online.sources.source import CountsRanks, Source
from online.sql import sql
from online.staging import NARROW, WIDE, Rows, rows_of
from online.tally import EventTally

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
    keep_days: int | None = None,
) -> EventTally:
    """Import a log of searches and of what happened in them, of any format.

    A row with a query is a search (`SearchEvent`); rows with one `search_id` are one search, whose
    results are merged by rank, and a row without a query tells what happened in a search: what
    comes later joins it, in this log or in the lake, and waits for it where it is not known yet. In
    what order rows and logs come makes no difference.

    Identity is `event_id`, else the content: what is in the lake already counts as duplicate, so a
    second import of a log accepts nothing; an `event_id` with other content is quarantined as
    `conflict`. Rows of an own export are known for the rows that the lake was made of. Ranks stay
    as logged, unless the log counts from 0. Sessions that no row names are those of users, and
    sessions that behave as no person does are flagged.

    Args:
        lake: Where the searches go. Another import at work is waited for.
        file: The log.
        quarantine_folder: Where lines that are no searches go, with their reasons.
        timezone: The zone of timestamps that name none, such as "Europe/Berlin"; None quarantines
            them. Of an hour that a clock change repeats, the later one is meant; of one that it
            leaves out, the hour behind it. The notes count both.
        rank_base: 0 where the first result has rank 0, 1 where it has rank 1; None shifts ranks
            only where a rank 0 occurs and `AGREEING_CLICKS` clicks or more agree on 0 without
            exception, and says so in the notes.
        progress: Told what is done; may raise to cancel, which leaves the lake as it was.
        format: What the file is, where its content leaves doubt; as `open_source` names formats.
        table: The table of a database.
        mapping: What the columns of a foreign table mean, or the file that says it; of constants
            alone: what is to be put where a row says nothing, such as its `model_version`.
        keep_days: Rows of days before `online.forgetting.first_kept_day` are quarantined without
            their text, as `beyond_retention`; None takes all.

    Returns:
        What became of the rows; blank lines do not count. The notes count rows that were kept but
        are odd; `online.words.NOTES` says what each code means. What a log does not tell of itself
        is a code of its source, such as those of UBI.

    Raises:
        OnlineError: The file is absent, of no known format, or damaged; an argument is wrong; or
            the lake cannot be written.
    """
    _check_arguments(timezone, rank_base, keep_days)
    with closing(open_source(file, format=format, table=table, mapping=mapping)) as log:
        try:
            with lake.writing(progress) as writing:
                rules = _Rules(timezone, rank_base, _oldest(keep_days))
                return _Import(writing, log, progress).run(quarantine_folder, rules)
        except (duckdb.IOException, duckdb.OutOfMemoryException, OSError) as error:
            what = str(error).splitlines()[0]
            hint = "nothing was imported; look for space and permissions there"
            raise OnlineError(f"cannot write: {what}", where=str(lake.root), hint=hint) from error


@dataclass(frozen=True, slots=True)
class _Rules:
    """How an import reads its log: the arguments of `import_events`; `oldest` is kept, too."""

    timezone: str | None
    rank_base: int | None
    oldest: datetime | None


def _oldest(keep_days: int | None) -> datetime | None:
    """The beginning of the first day that is kept."""
    if keep_days is None:
        return None
    return datetime.combine(first_kept_day(keep_days), time.min, UTC)


def _check_arguments(timezone: str | None, rank_base: int | None, keep_days: int | None) -> None:
    if keep_days is not None and keep_days < 1:
        raise OnlineError(f"{keep_days} days cannot be kept", hint="keep one day or more")
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
    joining: Joining | None = None
    restoring: Restoring | None = None
    n_new: int = 0

    def run(self, quarantine: Path, rules: "_Rules") -> EventTally:
        """The whole import; until the last step nothing of it shows."""
        self._stage(rules)
        self._find_repeats()
        self._find_rank_base(rules.rank_base)
        self._accept()
        self._write("native_interactions", "interactions")
        self._join()
        self._count()
        self._quarantine(quarantine)
        self._commit()
        return self.tally

    def _stage(self, rules: "_Rules") -> None:
        """Write all rows by day; those that tell only later as date=later, bad as date=rejected."""
        self._connection.execute(sql("duckdb/macros"))
        self._connection.execute("SET VARIABLE zone = ?", [rules.timezone])
        self._connection.execute("SET VARIABLE oldest = CAST(? AS TIMESTAMPTZ)", [rules.oldest])
        if isinstance(self.log, CountsRanks):
            self.log.rank_base, self.log.rank_bases = rules.rank_base, self.writing.rank_bases
        for rows in rows_of(self.log, self._scratch, rules.timezone):
            if rows.kind == "odd" and self.log.longest_odd > LONG_BYTES:
                self._connection.execute("SET threads = 1; SET memory_limit = '2GB'")
            self._stage_rows(rows)
        self._view("narrow", "staged/plain/date=[0-9]*")
        mark = "staged_" if isinstance(self.log, LakeSource) else ""
        self._view(f"{mark}wide", "staged/[wo]*/date=[0-9]*", WIDE)
        self._view(f"{mark}later", "staged/[wo]*/date=later", WIDE | {"date": "VARCHAR"})
        if isinstance(self.log, LakeSource):
            self.restoring = Restoring(self._connection)
            self.restoring.keep_identities(self.log.identities)
        self._view("rejected", "staged/*/date=rejected", {"line": "BIGINT", "extra": "VARCHAR"})

    def _stage_rows(self, rows: Rows) -> None:
        self._connection.register("lines", rows.reader)
        fields = sql(f"duckdb/{rows.kind}_fields")
        if rows.kind != "plain":
            self._connection.execute(f"CREATE OR REPLACE TEMP VIEW further_fields AS {fields}")
            fields = sql("duckdb/things")
        self._connection.execute(f"CREATE TEMP VIEW fields AS {fields}")
        names = ", ".join(f'"{name}"' for name in (NARROW if rows.kind == "plain" else WIDE))
        query = f"SELECT {names} FROM ({sql('duckdb/native_rows')})"  # noqa: S608 - our own text
        folder = self._scratch / "staged" / rows.kind
        self._watched(lambda: write_days(self._connection, query, folder))
        self._connection.execute("DROP VIEW fields")
        self._connection.unregister("lines")

    def _find_repeats(self) -> None:
        """Fill the table `dropped`: rows that are known already, and conflicts."""
        self._tell("looking for events that are known already")
        self._connection.execute(f"CREATE TEMP VIEW rows_read AS {sql('duckdb/rows_read')}")
        days = dict(self._connection.execute(sql("duckdb/staged_days")).fetchall())
        searches = self.writing.manifest.searches
        known = [file for file in searches if file.date in days]
        with_ids = [file for file in searches if file.event_ids and any(days.values())]
        self.writing.view("known", known)
        self.writing.view("lake_events", with_ids)
        self._view_whole_lake(needed=self._joins or any(days.values()))
        self._connection.execute(f"CREATE TEMP TABLE dropped AS {sql('duckdb/repeats')}")
        if self.restoring:
            self.restoring.settle_what_searches_tell()

    def _view_whole_lake(self, *, needed: bool) -> None:
        """Only rows with a search_id, and event ids, are looked for beyond the days of the log."""
        for table in BOTH:
            files = self.writing.manifest.files(table) if needed else ()
            self.writing.view(f"lake_{table}", files, table)

    @property
    def _joins(self) -> bool:
        """Whether the log holds rows with further keys."""
        return any(self._scratch.glob("staged/[wo]*/date=[0-9l]*"))

    def _find_rank_base(self, rank_base: int | None) -> None:
        """Decide by how much ranks move; rows that are left with a rank 0 are dropped."""
        self._connection.execute(f"CREATE TEMP VIEW told AS {sql('duckdb/joining/told')}")
        zeros, votes, from_zero = map(sum, zip(*self._ranks(), strict=True))
        if isinstance(self.log, CountsRanks):
            rank_base = 1
        agreed = zeros > 0 and from_zero == votes >= AGREEING_CLICKS
        shift = int(agreed if rank_base is None else rank_base == 0)
        self._connection.execute("SET VARIABLE shift = CAST(? AS INTEGER)", [shift])
        if zeros and not shift:
            self._connection.execute(sql("duckdb/drop_rank_zero"))

    def _ranks(self) -> list[tuple[int, ...]]:
        """Ranks 0, votes and votes for a count from 0: of narrow rows, and of lists."""
        found = [self._row("rank_base")]
        if self._joins:
            found.append(self._row("joining/votes"))
        return found

    def _accept(self) -> None:
        """Bring what stays into the view `accepted`; only days that change are written again."""
        self._tell("settling repeats and ranks")
        days = self._connection.execute(sql("duckdb/changed_days")).fetchall()
        changed = {f"date={day}" for (day,) in days}
        staged = sorted(self._scratch.glob("staged/plain/date=[0-9]*/*.parquet"))
        affected = [file for file in staged if file.parent.name in changed]
        create_view(self._connection, "affected", affected, NARROW)
        self._write("settled_rows", "settled")
        for number, file in enumerate(staged):
            if file.parent.name not in changed:
                day = self._scratch / "settled" / file.parent.name
                day.mkdir(exist_ok=True)
                file.rename(day / f"staged-{number}.parquet")
        self._view("accepted", "settled/date=*")

    def _join(self) -> None:
        if self._joins:
            self.joining = Joining(self.writing, self._tell)
            self.joining.run()

    def _count(self) -> None:
        self.n_new, duplicate, identical = self._row("tally")
        self.tally.accepted, self.tally.duplicate = self.n_new, duplicate
        if self.restoring:
            self.tally.accepted, self.tally.duplicate = self.restoring.count_rows()
        notes = self._connection.execute(sql("duckdb/notes"))
        names = [column[0] for column in notes.description or ()]
        odd = Counter(dict(zip(names, notes.fetchone() or (), strict=True)))
        odd["identical_rows"] = identical
        if self.joining:
            odd.update(self.joining.notes())
        odd.update(self.log.findings.notes)
        self.tally.notes.update({code: n for code, n in odd.items() if n})
        self.tally.named = self.log.findings.named | self._latest_time()
        self.tally.applications = self.log.findings.applications

    def _latest_time(self) -> dict[str, list[str]]:
        """The latest of the times that are noted as `future_time`."""
        if not self.tally.notes["future_time"]:
            return {}
        (latest,) = self._row("latest_time")
        return {"future_time": [latest.astimezone(UTC).isoformat()]}

    def _quarantine(self, folder: Path) -> None:
        self._tell("writing the quarantine")
        query = "restored/rejected_rows" if self.restoring else "rejected_lines"
        rejected = _streamed(self._connection.execute(sql(f"duckdb/{query}")))
        written, reasons = write_quarantine(self.log, rejected, folder)
        self.tally.quarantine_file, self.tally.reasons = written, reasons

    def _commit(self) -> None:
        self._tell("moving the new days into the lake")
        if self.n_new:
            self._find_touched_sessions()
            self.writing.place("searches", self._scratch / "settled")
            self.writing.place("interactions", self._scratch / "interactions")
            if self.joining:
                self.joining.place()
            self._remember_rank_bases()
            self._flag_bots()
            self.writing.note_import(self.log.path.name, self.tally.accepted)
            self.writing.commit()

    def _find_touched_sessions(self) -> None:
        """What `flag_bots` is to judge; as a table: what was written moves away before."""
        touched = "touched_sessions" if self.joining else "new_sessions"
        self._connection.execute(
            f"CREATE TEMP TABLE touched_sessions AS {sql(f'duckdb/joining/{touched}')}"
        )

    def _flag_bots(self) -> None:
        self._tell("looking for bots")
        found = flag_bots(self.writing)
        if found.searches:
            self.tally.notes["bots"] = found.searches
            self.tally.named = self.tally.named | {"bots": found.named}

    def _remember_rank_bases(self) -> None:
        """A later log of the same application is read alike, even where it holds no rank 0."""
        for name, said in self.tally.applications.items():
            if said.get("rank_base") is not None:
                self.writing.rank_bases[name] = said["rank_base"]

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

    def _view(self, name: str, pattern: str, columns: Mapping[str, str] = NARROW) -> None:
        files = sorted(self._scratch.glob(f"{pattern}/*.parquet"))
        create_view(self._connection, name, files, columns)

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
