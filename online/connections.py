"""How DuckDB is opened for a lake, and how it reads and writes Parquet files."""

import glob
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import TypeAlias

import duckdb

Connection: TypeAlias = duckdb.DuckDBPyConnection
Relation: TypeAlias = duckdb.DuckDBPyRelation

READER_MEMORY = f"{170 * max(2, os.cpu_count() or 2)}MB"
"""What does not fit is kept on the disk.

At 170 MB a processor, sums over 2.5 million sessions take as long as at a gigabyte; at 12 MB the
threads of a large machine find no room for their blocks.
"""
WRITER_MEMORY = "1GB"

PARQUET = (
    "(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, PARTITION_BY (date), "
    "OVERWRITE_OR_IGNORE)"
)
"""Level 1 writes a fifth faster than zstd's usual 3, and its files are hardly larger."""


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
            # Files never change: their footers are read once for all queries.
            "parquet_metadata_cache": "true",
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
    create_view_of_alike(connection, name, {"": files} if files else {}, columns)


def create_view_of_alike(
    connection: Connection,
    name: str,
    files: Mapping[str, list[Path]],
    columns: Mapping[str, str],
) -> None:
    """As `create_view`, without a look at all files each time that a query names the view.

    In a year of days this look takes longer than most queries.

    Args:
        connection: Where the view is made.
        name: Its name.
        files: Digest -> files that have the same columns; "" -> those of which nobody knows.
        columns: The view's columns and their types.
    """
    parts = [
        _read(connection, paths, columns, alike=bool(digest)) for digest, paths in files.items()
    ]
    if not parts:
        typed = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
        connection.execute(f'CREATE TABLE "{name}" ({typed})')
        return
    reduce(lambda one, other: one.union(other), parts).create_view(name)


def _read(
    connection: Connection, files: list[Path], columns: Mapping[str, str], *, alike: bool
) -> Relation:
    paths = [literal(file) for file in files]
    rows = connection.read_parquet(paths, hive_partitioning=True, union_by_name=not alike)
    there = set(rows.columns)
    return rows.project(
        ", ".join(
            f'"{column}"' if column in there else f'CAST(NULL AS {kind}) AS "{column}"'
            for column, kind in columns.items()
        )
    )


def columns_of(connection: Connection, files: list[Path]) -> dict[str, str]:
    """File -> a digest of its columns' names: files with the same one can be read as one."""
    if not files:
        return {}
    query = (
        "SELECT file_name, md5(string_agg(name, ' ' ORDER BY name))[:8] FROM parquet_schema(?) "
        "WHERE name IS NOT NULL GROUP BY file_name"
    )
    rows = connection.execute(query, [[literal(file) for file in files]]).fetchall()
    return {str(file): str(digest) for file, digest in rows}


def write_days(connection: Connection, query: str, folder: Path) -> None:
    """Write the rows of a query as Parquet files folder/date=…/*.parquet, by its column `date`."""
    folder.mkdir(parents=True, exist_ok=True)
    target = str(folder).replace("'", "''")
    connection.execute(f"COPY ({query}) TO '{target}' {PARQUET}")


def literal(path: Path) -> str:
    """A path that DuckDB takes as it stands, even where a folder is called "a[1]"."""
    return glob.escape(str(path))


def make_columns(
    connection: Connection,
    table: str,
    *,
    texts: Mapping[str, Iterable[str]] | None = None,
    numbers: Mapping[str, Iterable[int]] | None = None,
) -> None:
    """Make a table of columns of texts and of whole numbers, all of one length, or make it anew.

    As lists: to make Arrow's arrays of them would import pandas, which takes longer.
    """
    kinds = {"VARCHAR": texts or {}, "BIGINT": numbers or {}}
    columns = [(kind, name, values) for kind in kinds for name, values in kinds[kind].items()]
    lists = ", ".join(f'unnest(CAST(? AS {kind}[])) AS "{name}"' for kind, name, _ in columns)
    query = f'CREATE OR REPLACE TEMP TABLE "{table}" AS SELECT {lists}'
    connection.execute(query, [list(values) for _, _, values in columns])
