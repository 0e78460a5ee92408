"""What `events export` wrote, read again: the tables `searches` and `interactions` of a lake.

Rows of both are taken apart into the rows of the logs that they were made of
(online/sources/lake_rows.py). Of a file with both tables, `searches` tells all that happened in
them, and of `interactions` only that is read which belongs to no known search.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from online.events import OnlineError
from online.lines import LONGEST_LINE_BYTES
from online.native import TOO_LONG
from online.sources.lake_rows import (
    LogRow,
    Row,
    by_search,
    rows_of_search,
    rows_of_things,
    unreadable,
)
from online.sources.mapping import TableMap
from online.sources.shaping import as_truth
from online.sources.tables import ROWS, Chunk, Table, TableSource, as_array, as_json
from online.sources.translation import Translation

if TYPE_CHECKING:
    import pyarrow as pa

LAKE_TABLES = ("searches", "interactions")

_OF_SEARCHES = {"search_key", "session_given", "n_ranked_clicks", "retrieved_doc_ids", "clicks"}
_OF_INTERACTIONS = {"search_key", "kind", "doc_id", "occurred_at", "joined"}


def is_of_a_lake(columns: Iterable[str]) -> bool:
    """Whether these are the columns of a table that `events export` writes."""
    there = set(columns)
    return there >= _OF_SEARCHES or there >= _OF_INTERACTIONS


class LakeTables:
    """Tables of a lake, their rows numbered through all of them; as a `Table`, but for its columns.

    Attributes:
        told_by_searches: Rows of `interactions` that were passed over in the current pass.

    Raises:
        OnlineError: A table lacks what keeps its rows from counting twice; all are closed then.
    """

    columns_are_known = True
    cells_are_text = False

    def __init__(self, tables: Sequence[Table]) -> None:
        self._tables = tables
        self.path = tables[0].path
        self.size = tables[0].size
        self.columns: list[str] = []
        self.told_by_searches = 0
        for table in tables:
            needed = "told" if set(table.columns) >= _OF_SEARCHES else "told_by_search"
            if needed not in table.columns:
                self.close()
                raise OnlineError(
                    f"this was exported from a lake, but lacks the column {needed!r}, without "
                    "which events would count twice",
                    where=str(self.path),
                    hint="export it again, and import the file as it was written",
                )

    @property
    def bytes_read(self) -> int:
        """How much of the file has been read in the current pass."""
        return sum(table.bytes_read for table in self._tables) // len(self._tables)

    @property
    def failure(self) -> OnlineError | None:
        """What stopped the reading, if anything did."""
        return next((table.failure for table in self._tables if table.failure), None)

    def close(self) -> None:
        """Let go of the file."""
        for table in self._tables:
            table.close()

    def chunks(self) -> Iterator[Chunk]:
        """The rows as they stand there, for the quarantine."""
        before = last = 0
        for table in self._tables:
            for chunk in table.chunks():
                chunk.lines = chunk.lines + before
                last = int(chunk.lines[-1])
                yield chunk
            before = last

    def log_rows(self) -> Iterator[LogRow]:
        """The rows of the logs that the tables were made of."""
        self.told_by_searches = 0
        before = [0]
        for table in self._tables:
            broken: list[LogRow] = []
            rows = self._rows(table, before, broken)
            if set(table.columns) >= _OF_SEARCHES:
                yield from (found for one in rows for found in _apart(_of_one, [one]))
            else:
                if len(self._tables) > 1:
                    rows = filter(self._is_told_here_only, rows)
                for group in by_search(rows):
                    yield from _apart(rows_of_things, group)
            yield from broken

    def _rows(
        self, table: Table, before: list[int], broken: list[LogRow]
    ) -> Iterator[tuple[int, Row]]:
        """Good rows with their numbers; what is no row goes into `broken`."""
        last = before[0]
        for chunk in table.chunks():
            for number, row in _rows_of(chunk):
                last = before[0] + number
                if isinstance(row, str):
                    broken.append(LogRow([last], row))
                else:
                    yield last, row
        before[0] = last

    def _is_told_here_only(self, one: tuple[int, Row]) -> bool:
        is_apart = as_truth(one[1].get("joined")) is False
        self.told_by_searches += not is_apart
        return is_apart


class LakeSource(TableSource):
    """Tables of a lake as a `Source` that `online.restoring` knows to keep identities.

    Attributes:
        rank_base: Not asked for: the lake counts from 1.
        rank_bases: As little.
    """

    def __init__(self, tables: LakeTables) -> None:
        super().__init__(tables, Translation(TableMap(), cells_are_text=False))
        self._tables = tables
        self.rank_base: int | None = None
        self.rank_bases: Any = {}

    @property
    def identities(self) -> Path:
        """Where `identity_schema` of all rows lies, an Arrow stream, once `plain` was read."""
        return self.scratch / "identities.arrow"

    def _plain_batches(self, schema: "pa.Schema") -> "Iterator[pa.RecordBatch]":
        """No row is plain; all are put aside, and what they are known by beside them."""
        import pyarrow as pa

        odd = pa.schema([("line", pa.int64()), ("text", pa.string())])
        with (
            closing(pa.ipc.new_stream(str(self._aside), odd)) as aside,
            closing(pa.ipc.new_stream(str(self.identities), identity_schema())) as known,
        ):
            found = self._tables.log_rows()
            while rows := list(islice(found, ROWS)):
                lines = range(self.n_odd + 1, self.n_odd + len(rows) + 1)
                texts = [_text(row.line) for row in rows]
                self.n_odd += len(texts)
                self.longest_odd = max(self.longest_odd, *map(len, texts))
                aside.write_batch(pa.record_batch([pa.array(lines), as_array(texts)], schema=odd))
                known.write_batch(_identities(rows, lines))
        self.tell()
        yield from schema.empty_table().to_batches()

    def tell(self) -> None:
        """Rows that were passed over are counted."""
        if self._tables.told_by_searches:
            self.findings.notes["told_by_searches"] = self._tables.told_by_searches


def identity_schema() -> "pa.Schema":
    """The columns of what rows are known by: `line`, and those of `LogRow`."""
    import pyarrow as pa

    return pa.schema(
        [
            ("line", pa.int64()),
            ("rows", pa.list_(pa.int64())),
            ("search_key", pa.int64()),
            ("row_key", pa.int64()),
            ("zone_assumed", pa.bool_()),
            ("extra", pa.string()),
            ("furthers", pa.list_(pa.string())),
            ("only_known", pa.bool_()),
        ]
    )


def _identities(rows: Sequence[LogRow], lines: Sequence[int]) -> "pa.RecordBatch":
    import pyarrow as pa

    schema = identity_schema()
    columns = [pa.array(lines, pa.int64())]
    columns += [
        pa.array([getattr(row, field.name) for row in rows], field.type)
        for field in list(schema)[1:]
    ]
    return pa.record_batch(columns, schema=schema)


def _text(line: dict[str, Any] | str) -> str:
    text = line if isinstance(line, str) else as_json(line)
    return text if len(text) <= LONGEST_LINE_BYTES else TOO_LONG


def _rows_of(chunk: Chunk) -> Iterator[tuple[int, Row | str]]:
    """The rows of a chunk with their numbers; of one that cannot be read, what stands for it."""
    good = [place for place in range(len(chunk.lines)) if place not in chunk.faults]
    try:
        rows: dict[int, Row | str] = dict(zip(good, chunk.rows(good), strict=True))
    except ValueError:
        rows = {place: _row_of(chunk, place) for place in good}
    rows |= chunk.faults
    for place, number in enumerate(chunk.lines):
        yield int(number), rows[place]


def _row_of(chunk: Chunk, place: int) -> Row | str:
    try:
        return chunk.row(place)
    except ValueError as error:
        return str(unreadable(0, error).line)


def _of_one(group: Sequence[tuple[int, Row]]) -> list[LogRow]:
    ((number, row),) = group
    return rows_of_search(number, row)


def _apart(
    take: "Callable[[Sequence[tuple[int, Row]]], list[LogRow]]", group: list[tuple[int, Row]]
) -> list[LogRow]:
    """The rows of logs; where they cannot be told, each row of the group is refused."""
    try:
        return take(group)
    except (ValueError, TypeError, KeyError) as error:
        return [unreadable(number, error) for number, _ in group]
