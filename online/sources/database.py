"""A table or view of a DuckDB file as a table: opened to read, left as it is."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from online.events import OnlineError
from online.sources.tables import ROWS, Chunk

if TYPE_CHECKING:
    import pyarrow as pa

MEMORY = "1GB"
LISTED_TABLES = 30

_TABLES = """
SELECT schema_name, table_name FROM duckdb_tables()
WHERE database_name = 'source' AND NOT internal
UNION ALL
SELECT schema_name, view_name FROM duckdb_views()
WHERE database_name = 'source' AND NOT internal
ORDER BY ALL
"""


_TEXT = (
    "CASE json_type({0}) WHEN 'NULL' THEN NULL WHEN 'VARCHAR' THEN {0} ->> '$' "
    "ELSE CAST({0} AS VARCHAR) END AS {0}"
)


class DatabaseFile:
    """A DuckDB file that is open to be read.

    Attributes:
        path: Where it lies.
        connection: A connection in UTC to which the file is attached as `source`.

    Raises:
        OnlineError: The file is absent, no database, of a newer DuckDB, or held by another process.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_file():
            raise OnlineError("cannot open the database: there is no such file", where=str(path))
        self._spill = tempfile.TemporaryDirectory(prefix="goldsmith-")
        self.connection = duckdb.connect(
            config={
                "autoinstall_known_extensions": "false",
                "memory_limit": MEMORY,
                "temp_directory": self._spill.name,
                # One thread: rows come in the same order each time.
                "threads": "1",
            }
        )
        quoted = str(path).replace("'", "''")
        try:
            self.connection.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
            self.connection.execute(f"ATTACH '{quoted}' AS source (TYPE duckdb, READ_ONLY)")
        except duckdb.Error as error:
            self.close()
            raise _why_closed(path, error) from error

    def tables(self) -> list[str]:
        """Its tables and views; those outside of the schema main as schema.table."""
        rows = self.connection.execute(_TABLES).fetchall()
        return [table if schema == "main" else f"{schema}.{table}" for schema, table in rows]

    def chosen(self, table: str | None) -> str:
        """The table of this name; the only one where none is named.

        Raises:
            OnlineError: There is no such table, or several to choose from.
        """
        tables = self.tables()
        if table is None and len(tables) == 1:
            return tables[0]
        named = [name for name in tables if table and name.lower() == table.lower()]
        if named:
            return named[0]
        there = ", ".join(tables[:LISTED_TABLES]) or "none at all"
        what = f"there is no table {table!r}" if table else "which table is it?"
        raise OnlineError(
            f"{what} The database has {there}" if table is None else f"{what}; there is {there}",
            where=str(self.path),
            hint="name one by --table NAME" if tables else None,
        )

    def query(self, table: str) -> str:
        """The query for all rows of a table; texts that are JSON come as the texts they say."""
        relation = self.connection.sql(f"FROM {_quoted(table)}")
        texts = [
            _TEXT.format(_identifier(name))
            for name, kind in zip(relation.columns, relation.types, strict=True)
            if str(kind) == "JSON"
        ]
        replaced = f"SELECT * REPLACE ({', '.join(texts)}) " if texts else ""
        return f"{replaced}FROM {_quoted(table)}"

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()
        self._spill.cleanup()


class DatabaseTable:
    """The rows of a query to a DuckDB file as a `Table`, numbered from 1.

    Raises:
        OnlineError: The query cannot be answered, such as that of a view on files that are gone.
    """

    columns_are_known = True
    cells_are_text = False

    def __init__(self, database: DatabaseFile, query: str) -> None:
        self._database = database
        self._query = query
        self.path = database.path
        self.size = database.path.stat().st_size
        self.bytes_read = 0
        self.failure: OnlineError | None = None
        try:
            relation = database.connection.sql(query)
            self.columns = [str(name) for name in relation.columns]
            self._n_rows = len(relation)
        except duckdb.Error as error:
            raise self._unreadable(error) from error

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def chunks(self) -> Iterator[Chunk]:
        """All rows in the order in which the database gives them."""
        import numpy as np

        first = 1
        try:
            for batch in self._batches():
                if batch.num_rows:
                    yield Chunk(np.arange(first, first + batch.num_rows), batch)
                first += batch.num_rows
                self.bytes_read = self.size * (first - 1) // max(self._n_rows, 1)
        except duckdb.Error as error:
            self.failure = self._unreadable(error)
            raise self.failure from error

    def _batches(self) -> "Iterator[pa.RecordBatch]":
        cursor = self._database.connection.cursor()
        try:
            yield from cursor.sql(self._query).to_arrow_reader(ROWS)
        finally:
            # A reader that was not read to its end may refuse to be closed.
            with suppress(duckdb.Error):
                cursor.close()

    def _unreadable(self, error: duckdb.Error) -> OnlineError:
        return OnlineError(
            f"the table cannot be read: {str(error).splitlines()[0]}",
            where=str(self.path),
            hint="nothing was imported",
        )


def open_table(path: Path, table: str | None) -> DatabaseTable:
    """A table or view of a DuckDB file.

    Args:
        path: The file.
        table: Its name, or schema.name; None where the file has but one.

    Raises:
        OnlineError: As `DatabaseFile`, or there is no such table.
    """
    database = DatabaseFile(path)
    try:
        return DatabaseTable(database, database.query(database.chosen(table)))
    except BaseException:
        database.close()
        raise


def open_tables(
    path: Path, names: Sequence[str], are_meant: Callable[[list[str]], bool]
) -> list[DatabaseTable]:
    """Several tables of a DuckDB file; none where one is not there or its columns are not meant.

    Raises:
        OnlineError: As `DatabaseFile`.
    """
    database = DatabaseFile(path)
    try:
        if set(names) <= set(database.tables()):
            tables = [DatabaseTable(database, database.query(name)) for name in names]
            if all(are_meant(table.columns) for table in tables):
                return tables
    except BaseException:
        database.close()
        raise
    database.close()
    return []


def _quoted(table: str) -> str:
    schema, dot, name = table.rpartition(".")
    return ".".join(map(_identifier, ["source", schema if dot else "main", name]))


def _identifier(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _why_closed(path: Path, error: duckdb.Error) -> OnlineError:
    said = str(error).splitlines()[0]
    if "Could not set lock" in said:
        return OnlineError(
            "another process has the database open to write, and DuckDB then lets nobody read it",
            where=str(path),
            hint="import again when that process has ended, or let it write Parquet",
        )
    if "already attached" in said or "different configuration" in said:
        return OnlineError(
            "this process has the database open already", where=str(path), hint="close it first"
        )
    if "version number" in said or "storage version" in said.lower():
        return OnlineError(
            f"the database was written by a newer DuckDB than {duckdb.__version__}: {said}",
            where=str(path),
            hint="write it with ATTACH … (STORAGE_VERSION 'v1.5.0'), or write Parquet",
        )
    return OnlineError(f"cannot open the database: {said}", where=str(path))
