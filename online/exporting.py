"""Takes the lake's tables away, as one file that other tools read.

A day at a time, so that memory is that of a day however large the lake is; and whole or not at all:
what is written is a draft beside the target, which takes the target's name in the end.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import duckdb

from online.columns import COLUMNS
from online.connections import Connection, create_view, literal
from online.events import OnlineError
from online.lake import Lake, Progress
from online.manifest import Manifest
from online.sql import sql

Exportable: TypeAlias = Literal["searches", "interactions"]
EXPORTABLE: tuple[Exportable, ...] = ("searches", "interactions")

DATABASES = (".duckdb", ".db")
STORAGE = "v1.5.0"
"""Files of DuckDB 2's own storage version are refused by DuckDB 1 ("version number 999")."""

COPIES = {
    ".parquet": "FORMAT parquet, COMPRESSION zstd",
    ".csv": "FORMAT csv, HEADER",
    ".csv.gz": "FORMAT csv, HEADER, COMPRESSION gzip",
    ".jsonl": "FORMAT json",
    ".jsonl.gz": "FORMAT json, COMPRESSION gzip",
}
"""Ending of a file with one table -> how DuckDB writes it."""

_ENDINGS = ", ".join((*DATABASES, *COPIES))


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written.

    Attributes:
        file: Where, absolute.
        tables: Table -> its rows.
    """

    file: Path
    tables: Mapping[Exportable, int]

    def as_json(self) -> dict[str, Any]:
        """The document that `goldsmith events export --json` prints."""
        return {"file": str(self.file), "tables": {str(name): n for name, n in self.tables.items()}}


def export_events(
    lake: Lake,
    file: Path,
    table: Exportable | None = None,
    *,
    force: bool = False,
    progress: Progress | None = None,
) -> Exported:
    """Write tables of a lake into one file, in the order of time.

    `searches` has the keys of the native log shape (`offset`, `clicks`, …) for other tools, all
    that the lake made of them beside, and in `told` all that happened, by the rows of the log that
    told it; `interactions` is as in the lake, with `told_by_search` beside. From that,
    `events import` reads the file again, and each event is known for the same: in this lake, in
    another, and beside the log that it came from. What belongs to no known search is in a database
    of both tables, or in `interactions`. In CSV, lists are JSON.

    Args:
        lake: The events as of this moment.
        file: Its ending says the form: .duckdb holds both tables, .parquet, .csv and .jsonl (the
            latter two also .gz) one.
        table: The only table; None: both, or `searches` where the file holds one.
        force: Whether a file that is there is replaced.
        progress: Told which day is written; may raise to cancel, which leaves no file.

    Raises:
        OnlineError: The ending is unknown, the file is there, or it cannot be written.
    """
    write = _writer(file)
    _refuse_known(file, force=force)
    tables = (table,) if table else EXPORTABLE if write is _database else EXPORTABLE[:1]
    try:
        with _draft(file) as (draft, scratch), lake.connect() as connection:
            days = _Days(connection, lake, lake.manifest(), progress)
            counts = {name: write(days, name, draft, scratch) for name in tables}
            connection.execute("DETACH DATABASE IF EXISTS taken")
            _refuse_known(file, force=force)
            draft.replace(file)
    except (duckdb.IOException, OSError) as error:
        what = (str(error).splitlines() or [type(error).__name__])[0]
        hint = "look whether the folder is there, may be written, and has space"
        raise OnlineError(f"cannot write: {what}", where=str(file), hint=hint) from error
    return Exported(file.resolve(), counts)


_Writer: TypeAlias = "Callable[[_Days, Exportable, Path, Path], int]"


@dataclass(slots=True)
class _Days:
    """The days of a lake, one after the other."""

    connection: Connection
    lake: Lake
    manifest: Manifest
    progress: Progress | None

    def queries(self, table: Exportable) -> Iterator[str]:
        """The query that gives the rows of a day, for each day; first one without any row."""
        query = sql(f"duckdb/exported_{table}")
        days = sorted({file.date for file in self.manifest.files(table)})
        for number, day in enumerate(["", *days]):
            if self.progress:
                self.progress(f"writing {table}", number, len(days))
            for part in EXPORTABLE:
                self._show(part, day, f"{part} of {table} {number}")
            yield query

    def _show(self, table: Exportable, day: str, name: str) -> None:
        files = [self.lake.root / f.path for f in self.manifest.files(table) if f.date == day]
        create_view(self.connection, name, files, COLUMNS[table])
        self.connection.execute(f'CREATE OR REPLACE TEMP VIEW day_{table} AS FROM "{name}"')


def _database(days: _Days, table: Exportable, draft: Path, _scratch: Path) -> int:
    """Write one table into a database, which is attached by the first."""
    connection = days.connection
    target = _quoted(draft)
    connection.execute(f"ATTACH IF NOT EXISTS {target} AS taken (STORAGE_VERSION '{STORAGE}')")
    for number, query in enumerate(days.queries(table)):
        into = f"INSERT INTO taken.{table}" if number else f"CREATE TABLE taken.{table} AS"
        connection.execute(f"{into} {query}")
    return _count(connection, f"taken.{table}")


def _copy(days: _Days, table: Exportable, draft: Path, scratch: Path) -> int:
    """Write one table as one file: first its days, then these one behind the other."""
    connection, parts = days.connection, []
    for number, query in enumerate(days.queries(table)):
        parts.append(scratch / f"{number:06}.parquet")
        connection.execute(f"COPY ({query}) TO {_quoted(parts[-1])} (FORMAT parquet)")
    rows = connection.read_parquet([literal(part) for part in parts])
    rows.create_view("taken_days")
    n = _count(connection, "taken_days")
    form = COPIES[_ending(draft)]
    columns = [
        f'to_json("{name}") AS "{name}"' if "csv" in form and _is_nested(kind) else f'"{name}"'
        for name, kind in zip(rows.columns, rows.types, strict=True)
    ]
    connection.execute("SET preserve_insertion_order = true")
    selected = rows.project(", ".join(columns)).sql_query()
    connection.execute(f"COPY ({selected}) TO {_quoted(draft)} ({form})")
    return n


def _is_nested(kind: Any) -> bool:
    return kind.id in ("list", "struct", "map", "array")


def _count(connection: Connection, table: str) -> int:
    ((n,),) = connection.execute(f"SELECT count(*) FROM {table}").fetchall()  # noqa: S608 - ours
    return int(n)


def _ending(file: Path) -> str:
    name = file.name.lower()
    known = [ending for ending in (*DATABASES, *COPIES) if name.endswith(ending)]
    return known[0] if known else ""


def _writer(file: Path) -> _Writer:
    ending = _ending(file)
    if not ending:
        what = f"the ending of {file.name!r} says no form"
        raise OnlineError(what, where=str(file), hint=f"end it in one of {_ENDINGS}")
    return _database if ending in DATABASES else _copy


def _refuse_known(file: Path, *, force: bool) -> None:
    if file.is_dir():
        raise OnlineError("this is a folder", where=str(file), hint="name a file in it")
    if file.exists() and not force:
        hint = "take another name, or replace it by --force"
        raise OnlineError("the file is there already", where=str(file), hint=hint)


@contextmanager
def _draft(file: Path) -> "Iterator[tuple[Path, Path]]":
    """A name for the unfinished file, of the same ending, and a folder for its parts."""
    scratch = file.with_name(f".{file.name}.draft")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    try:
        yield scratch / file.name, scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _quoted(file: Path) -> str:
    return "'" + str(file).replace("'", "''") + "'"
