"""Rows of text tables: CSV, TSV, and the bare columns of TREC. Every cell stays text."""

import csv
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import IO

from builder.errors import ImportFailedError
from builder.importers.lines import LONGEST_LINE, Lines
from builder.importers.rows import FaultError, Names, Row, Shape

DELIMITERS = {"\t": "TABs", ",": "commas", ";": "semicolons"}

REREADS = 20
"""How often a quotation mark that never closes may send us back; each costs a look at the rest."""

LONGEST_CELL_LINES = 1000
"""How many lines a quoted cell of a TSV file may span."""

Cells = list[str] | FaultError

# A cell in quotes as CSV has them, or as it stands.
_TAB_CELL = re.compile(r'"((?:[^"]|"")*)"(?=\t|\Z)|([^\t]*)')
_INTEGER_LIKE = re.compile(r"[+-]?\d+(\.\d*)?")


def header_of(line: str, delimiter: str, shape: Shape) -> list[str] | None:
    """The column names in a table's first line, if they name what tells such a table."""
    cells = _header_cells(line, delimiter)
    if not cells or (shape.bare and _INTEGER_LIKE.fullmatch(cells[-1].strip())):
        return None  # a row of qrels, though its query may be called as a column
    names = [_known_name(cell.strip(), shape) for cell in cells]
    return names if set(names) & set(shape.required[0]) else None


def bare_columns(line: str, shape: Shape) -> Names | None:
    """The columns of a table without a header, told by their number and a number at the end."""
    cells = _bare_cells(line)
    return shape.bare.get(len(cells)) if _INTEGER_LIKE.fullmatch(cells[-1]) else None


def table_rows(file: str, stream: IO[bytes], delimiter: str, shape: Shape) -> Iterator[Row]:
    """The rows of a table with a header; a row that is short lacks its last columns.

    Raises:
        ImportFailedError: A column that is needed is not there, or one is there twice.
    """
    is_csv = delimiter != "\t" or (_has_quotes(stream) and _is_quoted_throughout(stream))
    lines = Lines(stream)
    header = _header(lines, delimiter, shape, file)
    every = _csv_cells(lines, delimiter) if is_csv else _tab_cells(lines, len(header))
    for cells in every:
        number, raw, fault = lines.take()
        if not raw.isspace():
            yield _row(Row(file, number, raw.rstrip(b"\r\n"), {}, fault), cells, header)


def bare_rows(
    file: str, stream: IO[bytes], columns: Sequence[str], *, skip_header: bool
) -> Iterator[Row]:
    """The rows of a table cut at TABs or blanks, as TREC's; lines after # are remarks."""
    lines = Lines(stream)
    if skip_header:
        next(line for line in lines if line.strip())
        lines.take()
    for line in lines:
        number, raw, fault = lines.take()
        cells = _bare_cells(line)
        if raw.isspace() or _is_remark(cells):
            continue
        if len(cells) != len(columns):
            fault = fault or _wrong_width(len(cells), len(columns))
        yield Row(file, number, raw.rstrip(b"\r\n"), dict(zip(columns, cells, strict=False)), fault)


def _row(row: Row, cells: Cells, header: list[str]) -> Row:
    if isinstance(cells, FaultError):
        row.fault = row.fault or cells
    elif any(cells[len(header) :]):
        row.fault = row.fault or _wrong_width(len(cells), len(header))
    else:
        row.cells = dict(zip(header, cells, strict=False))
    return row


def _wrong_width(found: int, needed: int) -> FaultError:
    return FaultError(
        "wrong_columns",
        f"The row has {found} columns, and the table has {needed}. "
        "A cell that holds the delimiter stands in quotation marks.",
    )


def _header(lines: Lines, delimiter: str, shape: Shape, file: str) -> list[str]:
    line = next((line for line in lines if line.strip()), "")
    _, _, fault = lines.take()
    if fault:
        raise ImportFailedError(f"The header cannot be read. {fault.sentence}", where=file)
    cells = _header_cells(line, delimiter)
    names = [_known_name(cell.strip(), shape) for cell in cells]
    names = [name or f"column {place}" for place, name in enumerate(names, start=1)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ImportFailedError(
            f"The table has the column {twice!r} twice.", where=f"{file}, its header"
        )
    refuse_missing(names, shape, f"{file}, its header")
    return names


def _header_cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []  # whatever it is, it names no columns


def refuse_missing(names: Sequence[str], shape: Shape, where: str) -> None:
    """Refuse a table that lacks a column which every row needs.

    Raises:
        ImportFailedError: It does; the message names the column and what there is.
    """
    for needed in shape.required:
        if not set(needed) & set(names):
            raise ImportFailedError(
                f"A table of {shape.what} needs a column {' or '.join(needed)}; "
                f"this one has {', '.join(names)[:300]}.",
                where=where,
                hint="Rename the column that holds it.",
            )


def _known_name(cell: str, shape: Shape) -> str:
    return cell.lower() if cell.lower() in shape.names else cell


def _csv_cells(lines: Lines, delimiter: str) -> Iterator[Cells]:
    csv.field_size_limit(LONGEST_LINE)
    rereads = 0
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while (cells := _next_cells(reader)) is not None:
        if isinstance(cells, FaultError) and cells.reason == "open_quote" and rereads < REREADS:
            rereads += 1
            lines.unread_but_first()
            reader = csv.reader(lines, delimiter=delimiter, strict=True)
        yield cells


def _next_cells(reader: Iterator[list[str]]) -> Cells | None:
    try:
        return next(reader, None)
    except csv.Error as error:
        if "unexpected end of data" in str(error) or "field limit" in str(error):
            return FaultError(
                "open_quote",
                "A quotation mark opens a cell here and none closes it. Close it, or write a "
                "quotation mark inside of a quoted cell twice.",
            )
        return FaultError("bad_csv", f"The row is no CSV: {error}. See its quotation marks.")


def _has_quotes(stream: IO[bytes]) -> bool:
    chunks = iter(partial(stream.read, 1 << 20), b"")
    found = any(b'"' in chunk for chunk in chunks)
    stream.seek(0)
    return found


def _is_quoted_throughout(stream: IO[bytes]) -> bool:
    """Whether a TSV file makes sense as CSV from its first to its last line.

    Then a CSV writer made it, and its quotation is to be believed. Many TSV files know no
    quotation; in those a mark at the begin of a text does not last long until it makes no sense.
    """
    lines = Lines(stream)
    reader = csv.reader(lines, delimiter="\t", strict=True)
    csv.field_size_limit(LONGEST_LINE)
    try:
        width = len(next(reader, []))
        lines.take()
        return all(_is_row(cells, lines, width) for cells in reader)
    except csv.Error:
        return False
    finally:
        stream.seek(0)


def _is_row(cells: Sequence[str], lines: Lines, width: int) -> bool:
    before = lines.number
    first, _, _ = lines.take()
    return len(cells) == width or (first == before and not any(cells[width:]))


def _tab_cells(lines: Lines, width: int) -> Iterator[Cells]:
    """Cells between TABs; a cell in quotation marks may hold TABs and line ends, as in CSV.

    A mark that opens a cell and is not closed on its line counts as itself, unless the next lines
    close it and make one row of what was none.
    """
    for line in lines:
        if '"' not in line:
            yield _bare_line(line).split("\t")
            continue
        cells, is_open = _quoted_cells(line)
        yield (_continued(lines, line, len(cells), width) if is_open else None) or cells


def _continued(lines: Lines, text: str, found: int, width: int) -> list[str] | None:
    """The cells of a row whose quoted cell goes on in the next lines; None if it does not."""
    is_whole = found >= width
    for line in islice(lines, LONGEST_CELL_LINES):
        if is_whole and len(_quoted_cells(line)[0]) >= width:
            break  # two whole rows, each with a mark of its own
        text += line
        cells, is_open = _quoted_cells(text)
        if not is_open:
            if len(cells) == width:
                return cells
            break
    lines.unread_but_first()
    return None


def _quoted_cells(text: str) -> tuple[list[str], bool]:
    """The cells of a line, and whether one of them opens a quotation that is not closed."""
    cells, place, is_open = [], 0, False
    text = _bare_line(text)
    while place <= len(text):
        found = _TAB_CELL.match(text, place)
        if found is None:
            break
        quoted, plain = found.groups()
        is_open = is_open or (quoted is None and plain.startswith('"'))
        cells.append(plain if quoted is None else quoted.replace('""', '"'))
        place = found.end() + 1
    return cells, is_open


def _bare_line(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


def _bare_cells(line: str) -> list[str]:
    """Cells cut at TABs where that gives a row (ids may hold blanks), else at white space."""
    cells = _bare_line(line).split("\t")
    if len(cells) in (3, 4) and _INTEGER_LIKE.fullmatch(cells[-1]):
        return cells
    return re.split(r"[ \t]+", _bare_line(line).strip(" \t"))


def _is_remark(cells: Sequence[str]) -> bool:
    return cells[0].startswith("#") and not _INTEGER_LIKE.fullmatch(cells[-1])
