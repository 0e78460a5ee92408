"""CSV and its kin: cells between commas, semicolons or TABs; each stays the text that it is."""

import csv
import re
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from online.events import OnlineError
from online.lines import LONGEST_LINE_BYTES, SHOWN_BYTES, Block, LogFile, OverLog
from online.native import TOO_LONG
from online.sources.source import fault
from online.sources.tables import ROWS, Chunk

if TYPE_CHECKING:
    import pyarrow as pa

DELIMITERS = {",": "commas", "\t": "TABs", ";": "semicolons"}
LONGEST_ROW_LINES = 2000
"""A cell in quotes that goes on for longer was never closed."""

_OPEN_QUOTE = fault(
    "open_quote",
    "a quotation mark opens a cell here and none closes it; close it, or write a quotation mark "
    "inside of a quoted cell twice",
)
_LONE = re.compile("[\udc80-\udcff]")
"""What stands for a byte that is no UTF-8."""


class DelimitedTable(OverLog):
    """A text table with a header as a `Table`; a row is numbered as the line that it begins on.

    Remarks (#) and blank lines before the header are passed over; a row without a word is blank.

    Raises:
        OnlineError: It is no UTF-8, has no header, or two columns of one name.
    """

    columns_are_known = True
    cells_are_text = True

    def __init__(self, log: LogFile, delimiter: str) -> None:
        self._log = log
        self._delimiter = delimiter
        self.path = log.path
        self.size = log.size
        self._begin, header = header_of(log, delimiter)
        self.columns = _names(header, self.path)

    def chunks(self) -> Iterator[Chunk]:
        """All rows; one that has too many or too few cells is a fault."""
        # A process-wide setting; the usual 131,072 letters are too few for lists in cells.
        csv.field_size_limit(LONGEST_LINE_BYTES)
        for taken in _Rows(self._log, self._delimiter, self._begin, self.columns):
            if isinstance(taken, Chunk):
                yield taken
                continue
            for start in range(0, len(taken), ROWS):
                yield self._chunk(taken[start : start + ROWS])

    def _chunk(self, taken: "list[_Row]") -> Chunk:
        import numpy as np
        import pyarrow as pa

        width = len(self.columns)
        faults: dict[int, str] = {}
        raws: dict[int, bytes] = {}
        rows = [row for _, row, _, _ in taken]
        for place, (_, row, why, raw) in enumerate(taken):
            if why or len(row) != width:
                rows[place] = row[:width]
                why = why or _why_ragged(row, width)  # noqa: PLW2901
                if why:
                    rows[place] = [""] * width
                    faults[place], raws[place] = why, raw or self._joined(row)
        columns = [_column(column) for column in zip(*rows, strict=True)]
        return Chunk(
            lines=np.array([line for line, *_ in taken], np.int64),
            batch=pa.record_batch(columns, names=self.columns),
            faults=faults,
            raws=raws,
        )

    def _joined(self, row: list[str]) -> bytes:
        return self._delimiter.join(row).encode(errors="surrogateescape")


_Row = tuple[int, list[str], str, bytes]
"""Line number, cells, what is wrong with it ("" nothing), and its text where that is so."""


class _Rows:
    """The rows of a text table behind its header."""

    def __init__(self, log: LogFile, delimiter: str, begin: int, columns: list[str]) -> None:
        self._log = log
        self._delimiter = delimiter
        self._begin = begin
        self._columns = columns
        self._width = len(columns)

    def __iter__(self) -> Iterator[list[_Row] | Chunk]:
        """Whole blocks at once where each of their lines is a row, else line by line."""
        carried: deque[tuple[int, str]] = deque()  # lines of a row that is not at its end yet
        for first, block in self._log.numbered():
            if block.cut_short:
                yield [
                    *self._slowly(carried, last=True),
                    (first, [], TOO_LONG, block.raw[:SHOWN_BYTES].rstrip(b"\n")),
                ]
                continue
            at_once = not carried and first > self._begin and _is_utf8(block.raw)
            if at_once and (chunk := self._without_quotes(first, block.raw)):
                yield chunk
                continue
            lines = _lines(block)
            rows = self._at_once(lines) if at_once else None
            if rows is not None:
                yield [(line, row, "", b"") for line, row in enumerate(rows, first) if any(row)]
                continue
            numbered_lines = enumerate(lines, start=first)
            carried.extend((line, text) for line, text in numbered_lines if line > self._begin)
            yield list(self._slowly(carried, last=False))
        yield list(self._slowly(carried, last=True))

    def _without_quotes(self, first: int, raw: bytes) -> Chunk | None:
        """A block without a quotation mark, as pyarrow reads it; None where that is no table."""
        import numpy as np
        import pyarrow as pa
        from pyarrow import csv as arrow

        if b'"' in raw or raw.count(b"\r") != raw.count(b"\r\n"):
            return None
        text = dict.fromkeys(self._columns, pa.string())
        try:
            rows = arrow.read_csv(
                pa.BufferReader(raw),
                read_options=arrow.ReadOptions(
                    column_names=self._columns, use_threads=False, block_size=len(raw) + 1
                ),
                parse_options=arrow.ParseOptions(
                    delimiter=self._delimiter, quote_char=False, ignore_empty_lines=False
                ),
                convert_options=arrow.ConvertOptions(
                    column_types=text, null_values=[""], strings_can_be_null=True
                ),
            )
        except pa.ArrowInvalid:
            return None
        if rows.num_rows != raw.count(b"\n"):
            return None
        batch = rows.combine_chunks().to_batches()[0]
        return _without_blank(Chunk(np.arange(first, first + batch.num_rows), batch))

    def _at_once(self, lines: list[str]) -> list[list[str]] | None:
        """The cells of lines that are a row each; None where one is not, or one is no UTF-8."""
        try:
            rows = list(csv.reader(lines, delimiter=self._delimiter, strict=True))
        except csv.Error:
            return None
        return rows if len(rows) == len(lines) else None

    def _slowly(self, lines: deque[tuple[int, str]], *, last: bool) -> Iterator[_Row]:
        """Rows one after another; one that has no end among the lines yet stays there."""
        while lines:
            taken, row, why = self._next_row(lines)
            if self._delimiter == "\t" and (why or taken > 1):
                taken, row, why = self._bare(lines[0][1]) or (taken, row, why)
            if why == _OPEN_QUOTE and not last and len(lines) <= LONGEST_ROW_LINES:
                return
            begun = [lines.popleft() for _ in range(taken)]
            text = "".join(line for _, line in begun)
            why = why or _why_no_utf8(text)
            raw = text.rstrip("\r\n").encode(errors="surrogateescape") if why else b""
            if any(row) or why:
                yield begun[0][0], row, why, raw

    def _next_row(self, lines: deque[tuple[int, str]]) -> tuple[int, list[str], str]:
        """How many lines the next row has, its cells, and why it is none."""
        ahead = (line for _, line in islice(lines, LONGEST_ROW_LINES))
        reader = csv.reader(ahead, delimiter=self._delimiter, strict=True)
        try:
            row = next(reader)
        except csv.Error as error:
            if "unexpected end" in str(error) or "field larger" in str(error):
                return 1, [], _OPEN_QUOTE
            sentence = f"the row is no CSV: {error}; see its quotation marks"
            return 1, [], fault("bad_csv", sentence)
        return reader.line_num, row, ""

    def _bare(self, line: str) -> tuple[int, list[str], str] | None:
        """The row that a line is without regard to quotation, which many TSV files do not know."""
        row = line.rstrip("\r\n").split("\t")
        return (1, row, "") if len(row) == self._width else None


def _without_blank(chunk: Chunk) -> Chunk:
    """Without rows that hold no word."""
    import numpy as np
    import pyarrow as pa

    assert chunk.batch is not None  # noqa: S101 - for the type checker
    said = np.zeros(len(chunk.lines), bool)
    for column in chunk.batch.columns:
        said |= column.is_valid().to_numpy(zero_copy_only=False)
    return chunk if said.all() else Chunk(chunk.lines[said], chunk.batch.filter(pa.array(said)))


def header_of(log: LogFile, delimiter: str) -> tuple[int, list[str]]:
    """The number of the header's last line, and its cells; 0 and none for an empty file.

    Raises:
        OnlineError: It is no UTF-8, or no CSV.
    """
    lines = _lines(next(log.blocks(), Block(b"")))
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("# "):
            continue
        if _why_no_utf8(line):
            raise OnlineError(
                "the header is no UTF-8 text",
                where=f"{log.path}, line {number}",
                hint="save the table as UTF-8",
            )
        reader = csv.reader(lines[number - 1 :], delimiter=delimiter, strict=True)
        try:
            cells = next(reader)
        except csv.Error as error:
            raise OnlineError(
                f"the header is no CSV: {error}",
                where=f"{log.path}, line {number}",
                hint="see its quotation marks",
            ) from error
        return number - 1 + reader.line_num, [cell.strip() for cell in cells]
    return 0, []


def _names(header: list[str], path: object) -> list[str]:
    """Names of the columns; one without a name is called by its place."""
    while header and not header[-1]:
        header.pop()
    names = [name or f"column {place}" for place, name in enumerate(header, start=1)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OnlineError(
            f"two columns are called {twice!r}",
            where=f"{path}, its header",
            hint="give each column a name of its own",
        )
    return names


def _lines(block: Block) -> list[str]:
    """The lines of a block with their ends; bytes that are no UTF-8 as half surrogates."""
    text = block.raw.decode(errors="surrogateescape")
    return [f"{line}\n" for line in text.split("\n")[:-1]]


def _is_utf8(raw: bytes) -> bool:
    try:
        return raw.isascii() or bool(raw.decode())
    except UnicodeDecodeError:
        return False


def _column(cells: tuple[str, ...]) -> "pa.Array":
    """The cells as texts; an empty one is null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pa.array(cells, pa.string())
    return pc.if_else(pc.equal(texts, ""), None, texts)


def _why_ragged(row: list[str], width: int) -> str:
    """Why a row does not fit its header; empty cells too many do no harm."""
    if len(row) == width or (len(row) > width and not any(row[width:])):
        return ""
    return fault(
        "wrong_columns",
        f"the row has {len(row)} cells and the header {width}; a cell that holds the delimiter "
        "stands in quotation marks",
    )


def _why_no_utf8(text: str) -> str:
    if not _LONE.search(text):
        return ""
    return fault("bad_utf8", "the row holds bytes that are no UTF-8; save the table as UTF-8")
