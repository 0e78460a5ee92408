"""Which format a file has, told by its content, and its rows."""

import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from builder.errors import ImportFailedError
from builder.importers.files import (
    FORMATS,
    HINT,
    TOOL_FORMATS,
    head_lines,
    is_parquet,
    opened,
)
from builder.importers.json_rows import json_array, json_lines
from builder.importers.parquet import open_parquet, parquet_rows
from builder.importers.rows import Row, Shape, shown
from builder.importers.tables import (
    DELIMITERS,
    bare_columns,
    bare_rows,
    header_of,
    refuse_missing,
    table_rows,
)
from builder.importers.tools import tool_of, tool_rows


@dataclass(frozen=True, slots=True)
class RowFile:
    """A file that is being read.

    Attributes:
        rows: Its rows, once, in their order.
        total: How many there are, where the file says so.
    """

    rows: Iterator[Row]
    total: int | None = None


@contextmanager
def opened_rows(path: Path, shape: Shape, form: str | None = None) -> Iterator[RowFile]:
    """The rows of a file.

    Args:
        path: JSON lines, a JSON array, CSV, TSV, TREC columns, Parquet, or what Quepid and Label
            Studio write; packed by gzip or not.
        shape: What its rows are made of.
        form: The format, one of FORMATS or TOOL_FORMATS; by default told by the content.

    Raises:
        ImportFailedError: The file cannot be read as a whole.
    """
    known = (*FORMATS, *TOOL_FORMATS)
    if form is not None and form not in known:
        raise ImportFailedError(
            f"The format {form!r} is unknown.", hint=f"Known are {', '.join(known)}."
        )
    with opened(path) as stream:
        if form == "parquet" or (form is None and is_parquet(stream)):
            with _seekable(stream) as whole:
                table = open_parquet(whole, shape, str(path))
                rows = parquet_rows(path.name, table, str(path))
                yield RowFile(rows, table.metadata.num_rows)
        else:
            yield RowFile(_text_rows(path, stream, shape, form))


def _text_rows(path: Path, stream: IO[bytes], shape: Shape, form: str | None) -> Iterator[Row]:
    head = head_lines(stream)
    if not head:
        return iter(())
    form = form or tool_of(head, shape) or _json_form(head, shape)
    if form in TOOL_FORMATS:
        return tool_rows(form, path, stream, shape)
    if form == "jsonl":
        return json_lines(path.name, stream)
    if form == "json":
        return json_array(path.name, stream, str(path))
    return _table(path, stream, shape, form, head)


def _json_form(head: list[str], shape: Shape) -> str | None:
    if head[0].lstrip().startswith("["):
        return "json"
    if any(header_of(head[0], delimiter, shape) for delimiter in DELIMITERS):
        return None
    # A broken first line does not make a table out of JSON lines.
    return "jsonl" if any(line.lstrip().startswith("{") for line in head) else None


def _table(
    path: Path, stream: IO[bytes], shape: Shape, form: str | None, head: list[str]
) -> Iterator[Row]:
    wanted = {"csv": (",", ";"), "tsv": ("\t",), "trec": ()}.get(form or "", tuple(DELIMITERS))
    for delimiter in wanted:
        if header_of(head[0], delimiter, shape):
            return table_rows(path.name, stream, delimiter, shape)
    if form != "csv" and shape.bare:
        named = header_of(head[0], " ", shape)
        if named:
            refuse_missing(named, shape, f"{path}, its header")
            return bare_rows(path.name, stream, named, skip_header=True)
        first = next((line for line in head if not line.startswith("#")), head[0])
        columns = bare_columns(first, shape)
        if columns:
            return bare_rows(path.name, stream, columns, skip_header=False)
    raise _unrecognised(path, shape, head[0])


def _unrecognised(path: Path, shape: Shape, line: str) -> ImportFailedError:
    columns = " and ".join(" or ".join(names) for names in shape.required)
    if "\0" in line or "\\x" in line:
        return ImportFailedError("The file is binary.", where=str(path), hint=HINT)
    return ImportFailedError(
        f"This is not recognised as a file of {shape.what}: its first line is {shown(line, 120)}.",
        where=f"{path}, line 1",
        hint=f"JSON lines, or a table whose first line names {columns}. "
        "If it is one of those, say which by --format.",
    )


@contextmanager
def _seekable(stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """Parquet is read from its end: what comes out of gzip is unpacked into a nameless file."""
    if isinstance(stream, io.BufferedReader) and isinstance(stream.raw, io.FileIO):
        yield stream
        return
    with tempfile.TemporaryFile() as unpacked:
        while chunk := stream.read(1 << 20):
            unpacked.write(chunk)
        unpacked.seek(0)
        yield unpacked
