"""The manifest of a lake: which files it consists of, replaced as a whole or not at all."""

import json
import os
import secrets
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from online.events import OnlineError

MANIFEST = "manifest.json"
SCHEMA = 2
READABLE = (1, 2)
"""Schema 1 had searches and interactions only; the next commit writes it as 2."""

RETIRED_S = 3600.0
"""How long a replaced file stays for readers that began before."""

TableName = Literal["searches", "interactions", "hours"]
TABLES: tuple[TableName, ...] = ("searches", "interactions", "hours")


@dataclass(frozen=True, slots=True)
class DayFile:
    """One Parquet file of one UTC day.

    Attributes:
        path: Relative to the lake, such as "searches/date=2026-11-30/1-0.parquet".
        date: The day, "2026-11-30".
        rows: How many rows it holds, at least 1.
        event_ids: How many of them carry an event_id (0 but for searches).
        columns: Which columns it has, as a digest; "" where nobody noted it.
    """

    path: str
    date: str
    rows: int
    event_ids: int = 0
    columns: str = ""


@dataclass(frozen=True, slots=True)
class WholeFile:
    """The one Parquet file of a table that does not lie by day.

    Attributes:
        path: Relative to the lake, such as "bots/7.parquet".
        rows: How many rows it holds.
    """

    path: str
    rows: int


@dataclass(frozen=True, slots=True)
class RetiredFile:
    """A file that was replaced and stays for readers at work.

    Attributes:
        path: Relative to the lake.
        at: When it was replaced, ISO 8601 in UTC.
    """

    path: str
    at: str

    def is_over(self, now: datetime) -> bool:
        """Whether it may go; also where its time lies far ahead, as after a wrong clock."""
        return abs((now - datetime.fromisoformat(self.at)).total_seconds()) > RETIRED_S


@dataclass(frozen=True, slots=True)
class Former:
    """What a lake consisted of before its latest import; its files stay until the next one.

    Attributes:
        searches: As of `Manifest`; so the others.
        interactions: The files of the table.
        hours: The files of the table.
        bots: The file of the table.
        rank_bases: What was known of applications.
        judge_bots: Whether flags were judged anew since: then `bots` is old, and all sessions are
            judged when the import is taken back.
    """

    searches: tuple[DayFile, ...] = ()
    interactions: tuple[DayFile, ...] = ()
    hours: tuple[DayFile, ...] = ()
    bots: WholeFile | None = None
    rank_bases: Mapping[str, int] = field(default_factory=dict)
    judge_bots: bool = False

    @property
    def paths(self) -> set[str]:
        """The files, relative to the lake."""
        by_day = {file.path for table in TABLES for file in self.files(table)}
        return by_day | ({self.bots.path} if self.bots else set())

    def files(self, table: TableName) -> tuple[DayFile, ...]:
        """The files of one table."""
        return _of_table(self, table)

    def since(self, first: str) -> "Former":
        """The same without the days before `first`, which must not come back."""
        searches, interactions, hours = (
            tuple(file for file in self.files(table) if file.date >= first) for table in TABLES
        )
        bases = self.rank_bases
        return Former(searches, interactions, hours, rank_bases=bases, judge_bots=True)


@dataclass(frozen=True, slots=True)
class LatestImport:
    """The latest import that brought anything, while it can be taken back.

    Attributes:
        name: The name of its file; untrusted.
        at: When it was committed, ISO 8601 in UTC.
        accepted: How many rows of its file were accepted.
        commit: Which commit of the lake it was.
        before: What the lake was without it.
    """

    name: str
    at: str
    accepted: int
    commit: int
    before: Former


NoUndo = Literal["", "erased", "taken_back"]
"""Why no import can be taken back: none came, a user's events were erased since, one was."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a reader of the lake sees.

    Attributes:
        lake_id: Random name of this lake; a lake that was deleted and made anew has another.
        commit: How many changes it has taken.
        searches: The files of the table `searches`.
        interactions: The files of the table `interactions`.
        hours: The files of the table `hours`; a day of searches may have none.
        bots: The file of the table `bots`; None where no session was taken for a bot yet.
        retired: Replaced files that readers at work may still read.
        rank_bases: What the first rank is, 0 or 1, in what each application logs.
        latest: The import that can be taken back; None where there is none.
        no_undo: Why `latest` is None.
    """

    lake_id: str
    commit: int = 0
    searches: tuple[DayFile, ...] = ()
    interactions: tuple[DayFile, ...] = ()
    hours: tuple[DayFile, ...] = ()
    bots: WholeFile | None = None
    retired: tuple[RetiredFile, ...] = ()
    rank_bases: Mapping[str, int] = field(default_factory=dict)
    latest: LatestImport | None = None
    no_undo: NoUndo = ""

    @property
    def version(self) -> str:
        """Differs between any two states of any two lakes."""
        return f"{self.lake_id}-{self.commit}"

    @property
    def paths(self) -> set[str]:
        """All files that are read, or still may be, also by an undo; relative to the lake."""
        former = self.latest.before.paths if self.latest else set()
        return self.state.paths | former | {file.path for file in self.retired}

    @property
    def state(self) -> Former:
        """What the lake consists of now."""
        return Former(self.searches, self.interactions, self.hours, self.bots, self.rank_bases)

    def files(self, table: TableName) -> tuple[DayFile, ...]:
        """The files of one table."""
        return _of_table(self, table)

    def without_old_retired(self, now: datetime) -> "Manifest":
        """The same but for retired files whose time is over."""
        return replace(self, retired=tuple(f for f in self.retired if not f.is_over(now)))

    def next(
        self,
        state: Former,
        now: datetime,
        latest: LatestImport | None = None,
        no_undo: NoUndo = "",
    ) -> "Manifest":
        """The manifest of the next commit.

        Args:
            state: What the lake consists of from now on.
            now: When files that are no longer read are retired.
            latest: As the attribute.
            no_undo: As the attribute.
        """
        at = now.astimezone(UTC).isoformat(timespec="seconds")
        known = {file.path for file in self.retired}
        gone = sorted(self.state.paths - known - state.paths)
        retired = (*self.retired, *(RetiredFile(path, at) for path in gone))
        return replace(
            self,
            commit=self.commit + 1,
            searches=state.searches,
            interactions=state.interactions,
            hours=state.hours,
            bots=state.bots,
            retired=tuple(file for file in retired if file.path not in state.paths),
            rank_bases=dict(state.rank_bases),
            latest=latest,
            no_undo=no_undo,
        )


def _of_table(state: Former | Manifest, table: TableName) -> tuple[DayFile, ...]:
    tables = {
        "searches": state.searches,
        "interactions": state.interactions,
        "hours": state.hours,
    }
    return tables[table]


def new_manifest() -> Manifest:
    """The manifest of an empty lake."""
    return Manifest(lake_id=secrets.token_hex(6))


def read_manifest(root: Path) -> Manifest | None:
    """The manifest as it is now; None where the folder is no lake yet.

    Raises:
        OnlineError: The manifest is damaged, lost, or of a newer Goldsmith.
    """
    file = root / MANIFEST
    try:
        written = json.loads(file.read_text(encoding="utf-8"))
        if written["schema"] in READABLE:
            return _manifest(written)
    except FileNotFoundError:
        _refuse_lost_manifest(root)
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OnlineError(f"the lake's manifest cannot be read: {error}", where=str(file)) from None
    raise OnlineError(
        f"this lake has schema {written['schema']}, this Goldsmith reads up to {SCHEMA}",
        where=str(file),
        hint="use the Goldsmith that wrote it, or a newer one",
    )


def _manifest(written: Mapping[str, Any]) -> Manifest:
    manifest = Manifest(
        lake_id=written["lake_id"],
        commit=written["commit"],
        searches=_day_files(written["searches"]),
        interactions=_day_files(written["interactions"]),
    )
    if written["schema"] == 1:
        return manifest
    return replace(
        manifest,
        hours=_day_files(written["hours"]),
        bots=_whole_file(written["bots"]),
        retired=tuple(RetiredFile(**entry) for entry in written["retired"]),
        rank_bases=dict(written["rank_bases"]),
        # A manifest of before imports could be taken back has neither.
        latest=_latest(written["latest"]) if written.get("latest") else None,
        no_undo=written.get("no_undo", ""),
    )


def _latest(written: Mapping[str, Any]) -> LatestImport:
    before = written["before"]
    former = Former(
        **{table: _day_files(before[table]) for table in TABLES},
        bots=_whole_file(before["bots"]),
        rank_bases=dict(before["rank_bases"]),
        judge_bots=before["judge_bots"],
    )
    return LatestImport(**{**written, "before": former})


def _whole_file(entry: Mapping[str, Any] | None) -> WholeFile | None:
    return WholeFile(**entry) if entry else None


def _day_files(entries: Iterable[Mapping[str, Any]]) -> tuple[DayFile, ...]:
    return tuple(DayFile(**entry) for entry in entries)


def write_manifest(root: Path, manifest: Manifest) -> None:
    """Replace the manifest; after a crash at any point the old one or the new one is there."""
    draft = root / f"{MANIFEST}.draft"
    text = json.dumps({"schema": SCHEMA, **asdict(manifest)}, indent=1)
    with draft.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(root / MANIFEST)
    flush_folder(root)


def delete_all_but(root: Path, named: Collection[str]) -> None:
    """Delete the files of tables that are not `named` (relative to `root`), and emptied days."""
    for table in TABLES:
        for file in (root / table).glob("date=*/*"):
            if file.relative_to(root).as_posix() not in named:
                file.unlink()
        for day in (root / table).glob("date=*"):
            if not any(day.iterdir()):
                day.rmdir()
    for file in (root / "bots").glob("*"):
        if file.relative_to(root).as_posix() not in named:
            file.unlink()


def flush_folder(folder: Path) -> None:
    """Make renames inside a folder survive a loss of power."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def flush_files(files: Iterable[Path]) -> None:
    """Make the content of files survive a loss of power; all at once, as each one has to wait."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(_flush_file, files))


def _flush_file(file: Path) -> None:
    with file.open("rb") as stream:
        os.fsync(stream.fileno())


def _refuse_lost_manifest(root: Path) -> None:
    """A new lake gets its manifest before its first file, so files without one have lost it."""
    if any(root.glob("*/date=*/*.parquet")):
        raise OnlineError(
            f"the lake has files but no {MANIFEST}: it was moved or deleted",
            where=str(root),
            hint="put the manifest back from a backup; without it no import may touch the lake",
        )
