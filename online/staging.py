"""The rows of a log, checked and written as Parquet files by day in the scratch folder.

Most logs tell of searches with one click at most. Their rows are written once, and their files
become the lake's as they are ("narrow"). Rows that hold further keys ("wide") are written with what
happened in lists, for online/joining.py to join; rows without a query lie apart as "later".
"""

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from online.clock_changes import ClockChanges
from online.columns import SEARCHES
from online.sources.source import Source

if TYPE_CHECKING:
    import pyarrow as pa

THINGS = (
    'STRUCT(kind VARCHAR, doc_id VARCHAR, "rank" INTEGER, instant TIMESTAMPTZ, clock TINYINT, '
    'dwell_s DOUBLE, "value" DOUBLE, action VARCHAR, further VARCHAR)[]'
)
"""What a row tells of clicks, conversions and impressions."""

NARROW = {name: SEARCHES[name] for name in list(SEARCHES)[: list(SEARCHES).index("date") + 1]}
"""The columns of rows without further keys; the rest of `SEARCHES` reads as NULL."""

WIDE = {
    **NARROW,
    "search_id": "VARCHAR",
    "row_key": "BIGINT",
    "user_id": "VARCHAR",
    "tags": "VARCHAR[]",
    "results_offset": "INTEGER",
    "total_hits": "BIGINT",
    "latency_ms": "DOUBLE",
    "clock": "TINYINT",
    "dwell_without_click": "BOOLEAN",
    "things": THINGS,
}
"""The columns of rows with further keys."""


@dataclass(slots=True)
class Rows:
    """Some rows of a log, on their way into the scratch folder.

    Attributes:
        kind: "plain" (without further keys), "wide" (typed, with them) or "odd" (text).
        reader: The rows.
    """

    kind: str
    reader: "pa.RecordBatchReader"


def rows_of(log: Source, scratch: Path, zone: str | None = None) -> Iterator[Rows]:
    """All rows of a log, in parts; each has to be read to its end before the next is asked for.

    Where the first rows hold further keys, all plain ones go one way; where they hold none, those
    that do wait in a file for their turn, and so do those of a day on which clocks change in the
    zone of times that name none: the notes are to tell what became of their times.
    """
    changes = ClockChanges(zone)
    log.scratch = scratch
    reader = log.plain()
    batches = iter(reader)
    first = next(batches, None)
    if first is not None:
        whole = chain([first], batches)
        if _is_wide(first) or changes.touch(first):
            yield Rows("wide", _reader(reader.schema, whole))
        else:
            yield from _parted(reader.schema, whole, scratch / "wide.arrow", changes)
    if log.n_odd:
        yield Rows("odd", log.odd())


def _parted(
    schema: "pa.Schema", batches: "Iterable[pa.RecordBatch]", aside: Path, changes: ClockChanges
) -> Iterator[Rows]:
    import pyarrow as pa

    narrow = pa.schema([schema.field(name) for name in _narrow_names()])
    with closing(pa.ipc.new_stream(str(aside), schema)) as waiting:
        yield Rows("plain", _reader(narrow, _narrow_batches(batches, waiting, changes)))
    with pa.memory_map(str(aside)) as file:
        wide = pa.ipc.open_stream(file)
        head = next(iter(wide), None)
        if head is not None:
            yield Rows("wide", _reader(schema, chain([head], wide)))


def _narrow_batches(
    batches: "Iterable[pa.RecordBatch]",
    waiting: "pa.ipc.RecordBatchStreamWriter",
    changes: ClockChanges,
) -> "Iterator[pa.RecordBatch]":
    names = _narrow_names()
    for batch in batches:
        if _is_wide(batch) or changes.touch(batch):
            waiting.write_batch(batch)
        else:
            yield batch.select(names)


def _narrow_names() -> list[str]:
    from online.native import N_NARROW, plain_schema

    return [*plain_schema().names[: N_NARROW + 1], "joined_doc_ids"]


def _is_wide(batch: "pa.RecordBatch") -> bool:
    """Whether a row holds a further key, or a time that is none of ISO 8601, such as a number."""
    from online.native import WIDE_KEYS

    keys = (*WIDE_KEYS, "further")
    if any(batch.column(name).null_count < batch.num_rows for name in keys):
        return True
    return _has_other_times(batch.column("timestamp"))


def _has_other_times(times: "pa.StringArray") -> bool:
    """Whether a time has no dash behind its year."""
    import numpy as np

    _, offsets, octets = times.buffers()
    ends = np.frombuffer(offsets, np.int32)[times.offset : times.offset + len(times) + 1]
    if np.any(ends[1:] - ends[:-1] < 5):
        return True
    return bool(np.any(np.frombuffer(octets, np.uint8)[ends[:-1] + 4] != ord("-")))


def _reader(schema: "pa.Schema", batches: "Iterable[pa.RecordBatch]") -> "pa.RecordBatchReader":
    import pyarrow as pa

    return pa.RecordBatchReader.from_batches(schema, batches)
