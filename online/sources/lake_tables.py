"""What `events export` wrote, read again: the tables `searches` and `interactions` of a lake.

A row of `searches` holds what happened in the search, so that it comes back whole. Of
`interactions` only that is read which no row of `searches` tells: what belongs to no known search,
and what is known to the log alone.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from online.events import OnlineError
from online.sources.mapping import Rule, TableMap
from online.sources.shaping import NATIVE, PARTS, as_text, as_time, as_truth
from online.sources.tables import Chunk, Table, TableSource
from online.sources.translation import Translation

if TYPE_CHECKING:
    from collections.abc import Iterator

LAKE_TABLES = ("searches", "interactions")

_OF_SEARCHES = {"search_key", "session_given", "n_ranked_clicks", "retrieved_doc_ids", "clicks"}
_OF_INTERACTIONS = {"search_key", "kind", "doc_id", "occurred_at", "joined"}
_KINDS = {"click": "clicks", "conversion": "conversions", "impression": "impressions"}
_MADE = ("session_id", "dwell_s", "clicks")
"""Keys that the lake fills with what it found out itself."""

_Line = dict[str, Any]


def is_of_a_lake(columns: Iterable[str]) -> bool:
    """Whether these are the columns of a table that `events export` writes."""
    there = set(columns)
    return there >= _OF_SEARCHES or there >= _OF_INTERACTIONS


class LakeTables:
    """Tables of a lake as one `Table` of native lines, numbered through all of them.

    Attributes:
        told_by_searches: Rows of `interactions` that were passed over in the current pass.
    """

    columns_are_known = True
    cells_are_text = False

    def __init__(self, tables: Sequence[Table]) -> None:
        self._tables = tables
        self.path = tables[0].path
        self.size = tables[0].size
        self.columns = list(NATIVE)
        self.told_by_searches = 0

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

    def chunks(self) -> "Iterator[Chunk]":
        """The rows of `searches`, then what is left of `interactions`."""
        self.told_by_searches = 0
        before = 0
        for table in self._tables:
            last = 0
            for chunk in table.chunks():
                last = int(chunk.lines[-1])
                yield self._as_native(chunk, before)
            before += last

    def _as_native(self, chunk: Chunk, before: int) -> Chunk:
        import numpy as np

        places = [place for place in range(len(chunk.lines)) if place not in chunk.faults]
        lines = dict(zip(places, map(_native_line, chunk.rows(places)), strict=True))
        kept = [place for place in range(len(chunk.lines)) if lines.get(place, {}) is not None]
        self.told_by_searches += len(chunk.lines) - len(kept)
        return Chunk(
            lines=chunk.lines[np.array(kept, np.int64)] + before,
            objects=[lines.get(place) or {} for place in kept],
            faults={new: chunk.faults[old] for new, old in enumerate(kept) if old in chunk.faults},
            raws={new: chunk.raws[old] for new, old in enumerate(kept) if old in chunk.raws},
        )


class LakeSource(TableSource):
    """Tables of a lake as a `Source`."""

    def __init__(self, tables: LakeTables) -> None:
        fields = {key: Rule(key) for key in NATIVE}
        super().__init__(tables, Translation(TableMap(fields=fields), cells_are_text=False))
        self._tables = tables

    def tell(self) -> None:
        """Rows that were passed over are counted; further keys were named when they came first."""
        if self._tables.told_by_searches:
            self.findings.notes["told_by_searches"] = self._tables.told_by_searches


def _native_line(row: Mapping[str, Any]) -> _Line | None:
    """The native line of a row; None where a row of `searches` tells it."""
    line = _search_line(row) if "session_given" in row else _interaction_line(row)
    return None if line is None else _extra(row) | line


def _search_line(row: Mapping[str, Any]) -> _Line:
    line = {key: NATIVE[key](row[key]) for key in NATIVE if row.get(key) is not None}
    line = {key: value for key, value in line.items() if key not in _MADE}
    if _is_true(row, "session_given"):
        line["session_id"] = as_text(row["session_id"])
    if line.pop("results_logged", True) is False:
        line["results_logged"] = False
    if row.get("n_conversions") is not None:
        line.setdefault("conversions", [])
    clicks = NATIVE["clicks"](row["clicks"]) if row.get("clicks") is not None else []
    return line | _as_logged(clicks)


def _as_logged(clicks: Any) -> _Line:
    """A single click without a time stands in the line itself, as most logs have it."""
    if not clicks:
        return {}
    if len(clicks) > 1 or "timestamp" in clicks[0] or "doc_id" not in clicks[0]:
        return {"clicks": clicks}
    names = {"doc_id": "clicked_doc_id", "rank": "click_rank", "dwell_s": "dwell_s"}
    return {names[part]: value for part, value in clicks[0].items() if part in names}


def _interaction_line(row: Mapping[str, Any]) -> _Line | None:
    kind = row.get("kind")
    is_apart = row.get("joined") is not None and not _is_true(row, "joined")
    if not is_apart and (kind != "other" or row.get("search_id") is None):
        return None
    occurred = row.get("occurred_at")
    line = {"timestamp": as_time(row["timestamp"] if occurred is None else occurred)}
    for key, column in (("session_id", "own_session_id"), *((key, key) for key in _IDS)):
        if row.get(column) is not None:
            line[key] = as_text(row[column])
    if kind in _KINDS:
        parts = {
            part: row[part]
            for part in PARTS
            if part not in ("timestamp", "action") and row.get(part) is not None
        }
        line[_KINDS[kind]] = [{part: PARTS[part](value) for part, value in parts.items()}]
        if kind == "conversion" and "action" in line:
            line[_KINDS[kind]][0]["action"] = line["action"]
        if "search_id" not in line or "doc_id" not in parts:
            line.setdefault("action", kind)
    return line


_IDS = ("search_id", "user_id", "event_id", "action")


def _is_true(row: Mapping[str, Any], column: str) -> bool:
    return as_truth(row.get(column)) is True


def _extra(row: Mapping[str, Any]) -> _Line:
    """The further keys of the row that was imported."""
    extra = row.get("extra")
    if isinstance(extra, str):
        try:
            extra = json.loads(extra)
        except ValueError:
            return {"extra": extra}
    return dict(extra) if isinstance(extra, Mapping) else {}
