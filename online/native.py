"""The native log shape: plain lines become typed columns at once, odd ones stay text.

pyarrow's JSON reader is strict (a repeated or unknown key, a number for a text, a lone surrogate
are errors) and twice as fast as looking at each key in SQL, but one odd line makes it refuse a
whole block. So each block is offered to it first; what it refuses is put aside as text, and
sql/duckdb/odd_fields.sql looks at each of its lines. Both ways give the same rows (tested).
"""

from contextlib import closing
from itertools import pairwise
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

from online.lines import LONGEST_LINE_BYTES, Block, LogFile
from online.sources.source import Findings, fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from online.events import OnlineError

UNREADABLE = "\N{REPLACEMENT CHARACTER}"
"""Stands for a line that is no text: it is no JSON either, so it is rejected."""

TOO_LONG = fault(
    "line_too_long",
    f"the line is longer than {LONGEST_LINE_BYTES >> 20} MB; only its beginning is kept",
)

PIECES = 16
"""Into how many pieces a refused block is cut, so that one odd line takes few plain ones along."""

LINE_FEED, BRACE = b"\n{"


class NativeLines:
    """A log of native lines as a `Source`; rows are numbered as lines, blank ones too."""

    def __init__(self, log: LogFile) -> None:
        self._log = log
        self.path = log.path
        self.size = log.size
        self.n_odd = 0
        self.longest_odd = 0
        self.findings = Findings()
        self.scratch = Path(gettempdir())

    @property
    def bytes_read(self) -> int:
        """How much of the file has been read in the current pass."""
        return self._log.bytes_read

    @property
    def failure(self) -> "OnlineError | None":
        """What stopped the reading, if anything did."""
        return self._log.failure

    def close(self) -> None:
        """Let go of the file."""
        self._log.close()

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
    """The keys of lines that hold one plain object each; None where one does not."""
    import pyarrow as pa
    from pyarrow import json

    lines = _lines_with_a_brace(raw)
    if not lines or _holds_nul(raw) or not _is_utf8(raw):
        return None
    try:
        rows = json.read_json(
            pa.BufferReader(raw),
            read_options=json.ReadOptions(use_threads=False, block_size=len(raw) + 1),
            parse_options=json.ParseOptions(
                explicit_schema=pa.schema(_keys()), unexpected_field_behavior="error"
            ),
        )
    except pa.ArrowInvalid:
        return None
    if rows.num_rows != lines:
        return None
    columns = [column.combine_chunks() for column in rows.columns]
    joined = _joined(rows["retrieved_doc_ids"].combine_chunks())
    return None if joined is None else [*columns, joined]


def _lines_with_a_brace(raw: bytes) -> int:
    """How many lines there are, 0 where one does not begin with a brace.

    If then as many objects as lines are read, there is one a line: a line with two would leave
    another without one of its own, so within one, and an event's keys hold no objects.
    """
    import numpy as np

    octets = np.frombuffer(raw, np.uint8)
    ends = octets == LINE_FEED
    lines = int(np.count_nonzero(ends))
    begun = np.count_nonzero(ends[:-1] & (octets[1:] == BRACE)) + raw.startswith(b"{")
    return lines if begun == lines else 0


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
    """The columns of plain rows: `line` (from 1), the keys of an event, and `joined_doc_ids`."""
    import pyarrow as pa

    return pa.schema([("line", pa.int64()), *_keys(), ("joined_doc_ids", pa.string())])


def _keys() -> "list[tuple[str, pa.DataType]]":
    import pyarrow as pa

    text = pa.string()
    return [
        ("timestamp", text),
        ("query", text),
        ("session_id", text),
        ("model_version", text),
        ("retrieved_doc_ids", pa.list_(text)),
        ("clicked_doc_id", text),
        ("click_rank", pa.int32()),
        ("event_id", text),
    ]
