"""Tables as sources: rows of any columns, translated by a mapping into rows of the native shape."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any, Protocol

from online.events import OnlineError
from online.lines import LONGEST_LINE_BYTES
from online.native import TOO_LONG, plain_schema
from online.sources.plain_columns import PlainColumns
from online.sources.shaping import plain
from online.sources.source import Findings, fault
from online.sources.translation import Translation

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

ROWS = 8192
"""Rows that are translated at a time."""

LISTED_COLUMNS = 20


@dataclass(slots=True)
class Chunk:
    """Some rows of a table.

    Attributes:
        lines: Their numbers, ascending.
        batch: Their columns, where the table has typed ones.
        objects: The rows themselves, where it has none.
        faults: Place in the chunk -> what stands for a row that could not be read: `fault(…)`, or
            the row itself where the checks of native lines are to say what is wrong with it.
        raws: Place in the chunk -> what the table says there; a row that is not named here says
            its columns.
    """

    lines: "npt.NDArray[np.int64]"
    batch: "pa.RecordBatch | None" = None
    objects: Sequence[Mapping[str, Any]] = ()
    faults: dict[int, str] = field(default_factory=dict)
    raws: Mapping[int, bytes] = field(default_factory=dict)

    def row(self, place: int) -> Mapping[str, Any]:
        """One row; its columns where there are some.

        Raises:
            ValueError: A cell holds what Python cannot, such as the year 300000.
        """
        if self.batch is None:
            return self.objects[place]
        return self.rows([place])[0]

    def rows(self, places: Sequence[int]) -> list[Mapping[str, Any]]:
        """Some rows, as `row` gives them."""
        if self.batch is None:
            return [self.objects[place] for place in places]
        import pyarrow as pa

        every = len(places) == len(self.lines)
        batch = self.batch if every else self.batch.take(pa.array(places, pa.int64()))
        try:
            rows: list[Mapping[str, Any]] = batch.to_pylist()
        except (OverflowError, UnicodeDecodeError) as error:
            raise ValueError(str(error)) from error
        return rows

    def raw(self, place: int) -> bytes:
        """What the table says in one row."""
        if place in self.raws:
            return self.raws[place]
        try:
            return as_json(plain(self.row(place))).encode(errors="backslashreplace")
        except ValueError as error:
            return f"cannot be read: {error}".encode()


class Table(Protocol):
    """A table that is open.

    Attributes:
        path: Where it lies.
        size: Its size in bytes.
        columns: What its columns are called; of JSON objects, the keys of the first ones.
        columns_are_known: Whether there are no others.
        cells_are_text: Whether it knows no types: an empty cell is then nothing at all.
    """

    path: Path
    size: int
    columns: list[str]
    columns_are_known: bool
    cells_are_text: bool

    @property
    def bytes_read(self) -> int: ...  # noqa: D102 - as `Source` has it
    @property
    def failure(self) -> OnlineError | None: ...  # noqa: D102

    def chunks(self) -> Iterator[Chunk]:
        """All rows from the first, as often as this is called."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


class TableSource:
    """A table as a `Source`."""

    def __init__(self, table: Table, translation: Translation) -> None:
        self._table = table
        self._translation = translation
        self.path = table.path
        self.size = table.size
        self.n_odd = 0
        self.longest_odd = 0
        self.findings = Findings()
        self.scratch = Path(gettempdir())

    @property
    def names(self) -> Mapping[str, str]:
        """Native key -> the column or path that it is read from."""
        return self._translation.names

    @property
    def bytes_read(self) -> int:
        """How much of the table has been read in the current pass."""
        return self._table.bytes_read

    @property
    def failure(self) -> OnlineError | None:
        """What stopped the reading, if anything did."""
        return self._table.failure

    def close(self) -> None:
        """Let go of the file."""
        self._table.close()

    def plain(self) -> "pa.RecordBatchReader":
        """Rows that hold nothing but the keys of `plain_schema`."""
        import pyarrow as pa

        schema = plain_schema()
        return pa.RecordBatchReader.from_batches(schema, self._plain_batches(schema))

    def odd(self) -> "pa.RecordBatchReader":
        """All other rows, as native JSON."""
        import pyarrow as pa

        return pa.ipc.open_stream(pa.memory_map(str(self._aside)))

    def raws(self, lines: Iterator[int]) -> Iterator[bytes]:
        """These rows as JSON of their columns; what is no row, as it stands."""
        line = next(lines, None)
        for chunk in self._table.chunks():
            if line is None:
                return
            places = {int(number): place for place, number in enumerate(chunk.lines)}
            while line in places:
                yield chunk.raw(places[line])
                line = next(lines, None)

    @property
    def _aside(self) -> Path:
        return self.scratch / "odd.arrow"

    def _plain_batches(self, schema: "pa.Schema") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        odd = pa.schema([("line", pa.int64()), ("text", pa.string())])
        columns = PlainColumns(self._translation, schema)
        with closing(pa.ipc.new_stream(str(self._aside), odd)) as aside:
            for chunk in self._table.chunks():
                batch, places = columns.split(chunk.lines, chunk.batch, chunk.faults)
                if batch is not None and batch.num_rows:
                    yield batch
                if places:
                    texts = self._texts(chunk, places)
                    lines = pa.array(chunk.lines[places])
                    aside.write_batch(pa.record_batch([lines, as_array(texts)], schema=odd))
        self.tell()

    def _texts(self, chunk: Chunk, places: list[int]) -> list[str]:
        """The native JSON of these rows, or why a row has none."""
        good = [place for place in places if place not in chunk.faults]
        try:
            rows = dict(zip(good, chunk.rows(good), strict=True))
        except ValueError:
            rows = self._one_by_one(chunk, good)
        texts = [
            chunk.faults[place] if place in chunk.faults else self._text(rows[place])
            for place in places
        ]
        self.n_odd += len(texts)
        self.longest_odd = max(self.longest_odd, *map(len, texts))
        return texts

    def _text(self, row: Mapping[str, Any]) -> str:
        text = as_json(self._translation.native(row))
        return text if len(text) <= LONGEST_LINE_BYTES else TOO_LONG

    def _one_by_one(self, chunk: Chunk, places: list[int]) -> dict[int, Mapping[str, Any]]:
        rows = {}
        for place in places:
            try:
                rows[place] = chunk.row(place)
            except ValueError as error:
                chunk.faults[place] = fault(
                    "bad_value", f"a cell cannot be read: {error}; correct it in the table"
                )
        return rows

    def tell(self) -> None:
        """Put what was found into the findings, when all rows have been read."""
        self.findings.notes.update(self._translation.notes)
        if kept := self._translation.kept:
            self.findings.named["further_keys"] = sorted(kept)[:LISTED_COLUMNS]


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def as_json(value: Any) -> str:
    """A value as JSON in one line."""
    return _ENCODER.encode(value)


def as_array(texts: list[str]) -> "pa.Array":
    """The texts; one with half a surrogate pair, which no UTF-8 holds, in JSON's own spelling."""
    import pyarrow as pa

    try:
        return pa.array(texts, pa.string())
    except UnicodeEncodeError:
        return pa.array([_encodable(text) for text in texts], pa.string())


def _encodable(text: str) -> str:
    return "".join(c if not "\ud800" <= c <= "\udfff" else f"\\u{ord(c):04x}" for c in text)
