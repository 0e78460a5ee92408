"""The native log shape: plain lines become typed columns at once, odd ones stay text.

pyarrow's JSON reader is strict (a repeated or unknown key, a number for a text, a lone surrogate
are errors) and twice as fast as looking at each key in SQL, but one odd line makes it refuse a
whole block. So each block is offered to it first; what it refuses is put aside as text, and
sql/duckdb/odd_fields.sql looks at each of its lines. Both ways give the same rows (tested).
"""

import re
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

from online.lines import LONGEST_LINE_BYTES, Block, LogFile, OverLog
from online.sources.source import Findings, fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa


UNREADABLE = "\N{REPLACEMENT CHARACTER}"
"""Stands for a line that is no text: it is no JSON either, so it is rejected."""

TOO_LONG = fault(
    "line_too_long",
    f"the line is longer than {LONGEST_LINE_BYTES >> 20} MB; only its beginning is kept",
)

PIECES = 16
"""Into how many pieces a refused block is cut, so that one odd line takes few plain ones along."""

LINE_FEED, CARRIAGE_RETURN, BRACE, END_BRACE = b"\n\r{}"

N_NARROW = 8
"""How many keys a log of searches with one click each needs: those before `search_id`."""

WIDE_KEYS = (
    "search_id",
    "user_id",
    "offset",
    "tags",
    "clicks",
    "conversions",
    "impressions",
    "action",
    "total_hits",
    "latency_ms",
    "dwell_s",
    "results_logged",
)
"""The further keys of the native shape. A log without them is read without looking for them."""

_TIME = re.compile(rb'"timestamp"\s*:\s*(.)')


class NativeLines(OverLog):
    """A log of native lines as a `Source`; rows are numbered as lines, blank ones too."""

    def __init__(self, log: LogFile) -> None:
        self._log = log
        self.path = log.path
        self.size = log.size
        self.n_odd = 0
        self.longest_odd = 0
        self.findings = Findings()
        self.scratch = Path(gettempdir())

    def plain(self) -> "pa.RecordBatchReader":
        """Plain lines, as `plain_schema` names their columns."""
        import pyarrow as pa

        schema = plain_schema()
        return pa.RecordBatchReader.from_batches(schema, self._plain_batches(schema))

    def odd(self) -> "pa.RecordBatchReader":
        """All other lines: `line` and `text`, which is `UNREADABLE` where a line is no UTF-8."""
        import pyarrow as pa

        return pa.ipc.open_stream(pa.memory_map(str(self._aside)))

    def raws(self, lines: "Iterator[int]") -> "Iterator[bytes]":
        """These lines, ascending, as they stand in the file; of one too long its beginning."""
        line = next(lines, None)
        for first, block in self._log.numbered():
            if line is None:
                return
            texts = block.raw.split(b"\n")
            while line is not None and line < first + len(texts) - 1:
                yield texts[line - first]
                line = next(lines, None)

    @property
    def _aside(self) -> Path:
        return self.scratch / "odd.arrow"

    def _plain_batches(self, schema: "pa.Schema") -> "Iterator[pa.RecordBatch]":
        import numpy as np
        import pyarrow as pa

        odd = pa.schema([("line", pa.int64()), ("text", pa.string())])
        with closing(pa.ipc.new_stream(str(self._aside), odd)) as aside:
            first = 1
            for block in self._log.blocks():
                for columns in _pieces(block):
                    n = len(columns[0])
                    lines = pa.array(np.arange(first, first + n))
                    first += n
                    if len(columns) == 1:
                        self.n_odd += n
                        self.longest_odd = max(self.longest_odd, columns[0].nbytes)
                        aside.write_batch(pa.record_batch([lines, *columns], schema=odd))
                    else:
                        yield pa.record_batch([lines, *columns], schema=schema)


def _pieces(block: Block) -> "Iterator[list[pa.Array]]":
    """Columns of one piece of a block after another: all keys, or the text alone."""
    import numpy as np
    import pyarrow as pa

    if block.cut_short:
        yield [pa.array([TOO_LONG])]
        return
    if whole := _plain_columns(block.raw):
        yield whole
        return
    ends = np.flatnonzero(np.frombuffer(block.raw, np.uint8) == LINE_FEED) + 1
    step = -(-len(ends) // PIECES)
    cuts = {0, *ends[step - 1 :: step].tolist(), len(block.raw)}
    for start, end in pairwise(sorted(cuts)):
        raw = block.raw[start:end]
        yield _plain_columns(raw) or [_text(raw)]


def _plain_columns(raw: bytes) -> "list[pa.Array] | None":
    """The columns of lines that hold one plain object each; None where one does not."""
    import pyarrow as pa

    lines = _lines_in_braces(raw)
    if not lines or _holds_nul(raw) or not _is_utf8(raw):
        return None
    rows = _read(raw, "string", wide=False) or _read_wide(raw)
    if rows is None or rows.num_rows != lines:
        return None
    joined = _joined(rows["retrieved_doc_ids"].combine_chunks())
    if joined is None:
        return None
    return [*_as_in_schema(rows), joined, pa.nulls(lines, pa.string())]


def _read_wide(raw: bytes) -> "pa.Table | None":
    """The rows of lines that hold more than `_read` looks for first."""
    # The first line tells for all: a log that writes times in both ways is read line by line.
    first = _TIME.search(raw)
    in_numbers = first is not None and first[1].isdigit()
    rows = _read(raw, "int64" if in_numbers else "string", wide=True)
    return None if rows is None or _holds_no_number(rows) else rows


def _holds_no_number(rows: "pa.Table") -> bool:
    """Whether NaN or an infinity occurs, which pyarrow takes, although they are no JSON."""
    from pyarrow import compute

    numbers = [rows[name] for name in ("latency_ms", "dwell_s") if name in rows.column_names]
    for name, part in (("clicks", "dwell_s"), ("conversions", "value")):
        if name in rows.column_names:
            numbers.append(compute.struct_field(compute.list_flatten(rows[name]), part))
    return any(compute.any(compute.invert(compute.is_finite(part))).as_py() for part in numbers)


def _read(raw: bytes, time: str, *, wide: bool) -> "pa.Table | None":
    import pyarrow as pa
    from pyarrow import json

    keys = _keys(time)
    try:
        return json.read_json(
            pa.BufferReader(raw),
            read_options=json.ReadOptions(use_threads=False, block_size=len(raw) + 1),
            parse_options=json.ParseOptions(
                explicit_schema=pa.schema(keys if wide else keys[:N_NARROW]),
                unexpected_field_behavior="error",
            ),
        )
    except pa.ArrowInvalid:
        return None


def _as_in_schema(rows: "pa.Table") -> "list[pa.Array]":
    """The columns of all keys: absent ones as nulls, times in numbers as the text of their digits.

    There is one chunk, as there was one block.
    """
    import pyarrow as pa

    columns = []
    for key, kind in _keys("string"):
        if key not in rows.column_names:
            columns.append(pa.nulls(rows.num_rows, kind))
            continue
        column = rows[key].combine_chunks()
        columns.append(column if column.type == kind else column.cast(kind))
    return columns


def _lines_in_braces(raw: bytes) -> int:
    """How many lines there are, 0 where one does not begin and end with a brace.

    If then as many objects as lines are read, there is one a line: a line with two would leave
    another without one of its own, so within one; but between the closing brace of one line and the
    opening one of the next there is neither a comma nor a colon, so no object goes on there.
    """
    import numpy as np

    octets = np.frombuffer(raw, np.uint8)
    feeds = np.flatnonzero(octets == LINE_FEED)
    last = octets[feeds - 1]
    if np.any(last == CARRIAGE_RETURN):
        last = np.where(last == CARRIAGE_RETURN, octets[feeds - 2], last)
    begun = np.count_nonzero(octets[feeds[:-1] + 1] == BRACE) + raw.startswith(b"{")
    return len(feeds) if begun == len(feeds) and np.all(last == END_BRACE) else 0


def _holds_nul(raw: bytes) -> bool:
    """Whether a text may hold U+0000, which pyarrow takes; most logs hold no backslash at all."""
    return b"\\" in raw and b"\\u0000" in raw


def _joined(lists: "pa.ListArray") -> "pa.Array | None":
    """The texts of each list, one behind the other; None where a text is empty or null."""
    import numpy as np
    import pyarrow as pa

    texts = lists.values
    if len(texts) == 0:
        return pa.repeat("", len(lists))
    _, offsets, octets = texts.buffers()
    ends = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    if texts.null_count or np.any(ends[1:] == ends[:-1]):
        return None
    joined = pa.py_buffer(ends[lists.offsets.to_numpy()])
    return pa.StringArray.from_buffers(len(lists), joined, octets)


def _is_utf8(raw: bytes) -> bool:
    try:
        return raw.isascii() or bool(raw.decode())
    except UnicodeDecodeError:
        return False


def _text(raw: bytes) -> "pa.Array":
    """The lines as text; `UNREADABLE` where one is no UTF-8."""
    import pyarrow as pa

    return pa.array([_line_text(line) for line in raw.split(b"\n")[:-1]], pa.string())


def _line_text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return UNREADABLE


def plain_schema() -> "pa.Schema":
    """The columns of plain rows: `line` (from 1), the keys of an event, and two made of them.

    `joined_doc_ids` are the results one behind the other; `further` is the JSON object of the keys
    without a meaning, as DuckDB writes it, null where there are none or where a line is native.
    """
    import pyarrow as pa

    text = pa.string()
    made = [("joined_doc_ids", text), ("further", text)]
    return pa.schema([("line", pa.int64()), *_keys("string"), *made])


def _keys(time: str) -> "list[tuple[str, pa.DataType]]":
    """The keys of an event with their types; times are of the type `time`."""
    import pyarrow as pa

    text, whole, number = pa.string(), pa.int32(), pa.float64()
    at = pa.type_for_alias(time)
    ranked = [("doc_id", text), ("rank", whole), ("timestamp", at)]
    return [
        ("timestamp", at),
        ("query", text),
        ("session_id", text),
        ("model_version", text),
        ("retrieved_doc_ids", pa.list_(text)),
        ("clicked_doc_id", text),
        ("click_rank", whole),
        ("event_id", text),
        ("search_id", text),
        ("user_id", text),
        ("offset", whole),
        ("tags", pa.list_(text)),
        ("clicks", pa.list_(pa.struct([*ranked, ("dwell_s", number)]))),
        ("conversions", pa.list_(pa.struct([*ranked, ("value", number), ("action", text)]))),
        ("impressions", pa.list_(pa.struct(ranked))),
        ("action", text),
        ("total_hits", pa.int64()),
        ("latency_ms", number),
        ("dwell_s", number),
        ("results_logged", pa.bool_()),
    ]
