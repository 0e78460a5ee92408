"""How files of a lake are read: of one set of columns or of several, known or not."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from online.connections import (
    Connection,
    columns_of,
    create_view,
    create_view_of_alike,
    open_engine,
)
from online.lake import Lake
from online.manifest import read_manifest, write_manifest
from tests.online.logs import event, rows, take

COLUMNS = {"a": "INTEGER", "b": "VARCHAR", "c": "BIGINT"}


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    with open_engine(tmp_path / "spill", "400MB") as opened:
        yield opened


def _file(connection: Connection, folder: Path, name: str, row: str) -> Path:
    file = folder / f"{name}.parquet"
    connection.execute(f"COPY (SELECT {row}) TO '{file}' (FORMAT parquet)")
    return file


def test_files_of_several_sets_of_columns_are_one_table(
    connection: Connection, tmp_path: Path
) -> None:
    folder = tmp_path / "a[1]"
    folder.mkdir()
    files = [
        _file(connection, folder, "old", "1 AS a"),
        _file(connection, folder, "new", "2 AS a, 'x' AS b, [1, 2] AS list"),
        _file(connection, folder, "turned", "[3] AS list, 'y' AS b, 3 AS a"),
    ]
    digests = columns_of(connection, files)
    assert len(digests) == 3
    old, new, turned = (digests[str(file)] for file in files)
    assert old != new == turned
    groups = {old: files[:1], new: files[1:]}
    create_view_of_alike(connection, "known", groups, COLUMNS)
    create_view(connection, "unknown", files, COLUMNS)
    create_view_of_alike(connection, "several", {"": files[:2], new: files[2:]}, COLUMNS)
    for view in ("known", "unknown", "several"):
        found = connection.sql(f"FROM {view} ORDER BY a")
        assert dict(zip(found.columns, map(str, found.types), strict=True)) == COLUMNS
        assert found.fetchall() == [(1, None, None), (2, "x", None), (3, "y", None)]


def test_no_files_are_a_table_without_rows(connection: Connection) -> None:
    create_view(connection, "empty", [], COLUMNS)
    found = connection.sql("FROM empty")
    assert (found.columns, found.fetchall()) == (list(COLUMNS), [])
    assert columns_of(connection, []) == {}


def test_a_manifest_that_does_not_tell_the_columns_reads_the_same(tmp_path: Path) -> None:
    take(tmp_path, [event(), event(timestamp="2026-11-29T12:00:00Z")])
    lake = Lake(tmp_path / "events")
    manifest = read_manifest(lake.root)
    assert manifest is not None
    assert len({file.columns for file in manifest.searches}) == 1
    query = "SELECT * FROM searches ORDER BY timestamp"
    before = rows(lake, query)
    forgotten = tuple(replace(file, columns="") for file in manifest.searches)
    write_manifest(lake.root, replace(manifest, searches=forgotten))
    assert rows(lake, query) == before
    take(tmp_path, [event(query="newer", timestamp="2026-11-30T13:00:00Z")])
    assert rows(lake, query)[:2] == before
