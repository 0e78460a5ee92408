"""Rows of Parquet, in batches; whole numbers, times and decimals keep what they say."""

import json
import math
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import IO, TYPE_CHECKING, Any
from uuid import UUID

from builder.errors import ImportFailedError
from builder.importers.rows import FaultError, Row, Shape
from builder.importers.tables import refuse_missing

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyarrow.parquet import ParquetFile

BATCH = 500


def open_parquet(stream: IO[bytes], shape: Shape, where: str) -> "ParquetFile":
    """The Parquet file in `stream`, its columns checked.

    Raises:
        ImportFailedError: It is broken, or lacks a column.
    """
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        table = ParquetFile(stream)
    except (ArrowException, OSError) as error:
        raise _broken(error, where) from error
    refuse_missing(table.schema_arrow.names, shape, where)
    return table


def parquet_rows(file: str, table: "ParquetFile", where: str) -> Iterator[Row]:
    """All rows; their numbers count from 1.

    Raises:
        ImportFailedError: The file is broken somewhere.
    """
    from pyarrow import ArrowException

    number = 0
    try:
        for batch in table.iter_batches(batch_size=BATCH):
            for cells, fault in _batch_cells(batch):
                number += 1
                yield _row(file, number, cells, fault)
    except (ArrowException, OSError) as error:
        raise _broken(error, where) from error


def _broken(error: Exception, where: str) -> ImportFailedError:
    return ImportFailedError(
        f"The Parquet file is broken: {error}. Nothing was imported.",
        where=where,
        hint="Fetch or write it again.",
    )


def _batch_cells(batch: "RecordBatch") -> Iterator[tuple[dict[str, Any], FaultError | None]]:
    try:
        for cells in batch.to_pylist():
            yield cells, None
    except UnicodeDecodeError:
        # One text is no UTF-8: find the rows one by one.
        yield from map(_single_cells, (batch.slice(at, 1) for at in range(batch.num_rows)))


def _single_cells(row: "RecordBatch") -> tuple[dict[str, Any], FaultError | None]:
    try:
        return row.to_pylist()[0], None
    except UnicodeDecodeError as error:
        return {}, FaultError("bad_utf8", f"A text is no UTF-8: {error.reason}. Write it anew.")


def _row(file: str, number: int, cells: dict[str, Any], fault: FaultError | None) -> Row:
    try:
        plain = {name: _plain(value) for name, value in cells.items()}
    except FaultError as error:
        plain, fault = {}, fault or error
    raw = json.dumps(plain, ensure_ascii=False) if plain else repr(cells)
    return Row(file, number, raw, plain, fault)


def _plain(value: Any) -> Any:
    """The value as JSON knows it; times in ISO 8601, NaN becomes null, as pandas means it."""
    for kinds, plain in _PLAIN:
        if isinstance(value, kinds):
            return plain(value)
    return value


def _decoded(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FaultError(
            "bad_utf8", f"Byte {error.start + 1:,} of a binary value is no UTF-8 text."
        ) from error


_PLAIN: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (str, str),
    (float, lambda number: number if math.isfinite(number) else None),
    (bytes, _decoded),
    (datetime | date | time, lambda moment: moment.isoformat()),
    (Decimal | timedelta | UUID, str),
    (list | tuple, lambda parts: [_plain(part) for part in parts]),
    (dict, lambda fields: {key: _plain(part) for key, part in fields.items()}),
)
