"""The manifest of a lake: which files it consists of, replaced as a whole or not at all."""

import json
import os
import secrets
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from online.events import OnlineError

MANIFEST = "manifest.json"
SCHEMA = 1

TableName = Literal["searches", "interactions"]
TABLES: tuple[TableName, ...] = ("searches", "interactions")


@dataclass(frozen=True, slots=True)
class DayFile:
    """One Parquet file of one UTC day.

    Attributes:
        path: Relative to the lake, such as "searches/date=2026-11-30/1-0.parquet".
        date: The day, "2026-11-30".
        rows: How many rows it holds, at least 1.
        event_ids: How many of them carry an event_id (0 for interactions).
    """

    path: str
    date: str
    rows: int
    event_ids: int = 0


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a reader of the lake sees.

    Attributes:
        lake_id: Random name of this lake; a lake that was deleted and made anew has another.
        commit: How many imports it has taken.
        searches: The files of the table `searches`.
        interactions: The files of the table `interactions`.
    """

    lake_id: str
    commit: int = 0
    searches: tuple[DayFile, ...] = ()
    interactions: tuple[DayFile, ...] = ()

    @property
    def version(self) -> str:
        """Differs between any two states of any two lakes."""
        return f"{self.lake_id}-{self.commit}"

    def files(self, table: TableName) -> tuple[DayFile, ...]:
        """The files of one table."""
        return self.searches if table == "searches" else self.interactions

    def with_files(
        self, searches: tuple[DayFile, ...], interactions: tuple[DayFile, ...]
    ) -> "Manifest":
        """The next manifest, with these files added."""
        return replace(
            self,
            commit=self.commit + 1,
            searches=self.searches + searches,
            interactions=self.interactions + interactions,
        )


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
        if written["schema"] == SCHEMA:
            tables = {t: tuple(DayFile(**entry) for entry in written[t]) for t in TABLES}
            return Manifest(lake_id=written["lake_id"], commit=written["commit"], **tables)
    except FileNotFoundError:
        _refuse_lost_manifest(root)
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OnlineError(f"the lake's manifest cannot be read: {error}", where=str(file)) from None
    raise OnlineError(
        f"this lake has schema {written['schema']}, this Goldsmith reads {SCHEMA}",
        where=str(file),
        hint="use the Goldsmith that wrote it, or a newer one",
    )


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
