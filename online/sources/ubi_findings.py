"""What an import of UBI records tells about each application that wrote them."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Self

from online.sources.ubi_records import Kind, Record, object_id_of, ordinal_of, short, time_format

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_NAMES = 1000
OTHERS = "(others)"
"""Stands for all names behind the first thousand: a log may hold anything."""

FEW_ZEROS = 0.2
"""Where fewer ranks are 0 than this share of those that are 1, zeros look like mistakes: the first
result is shown at least as often as the second."""

QUERY, EVENT, CLICKED, SHOWN = range(4)
N_ROLES = 4


class Ledger:
    """Which things occurred, 16 bytes an occurrence, on disk: memory stays flat.

    Things are known by Python's 64-bit hash: of a hundred million, two would be taken for one with
    a probability of one in four thousand.
    """

    BUFFERED = 1 << 17

    def __init__(self, folder: Path, part: int = 1 << 19) -> None:
        """Begin an empty one.

        Args:
            folder: Where the file is made.
            part: About how many occurrences `parts` gives at a time.
        """
        self._part = part
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 - closed by `close`
        self._recent = array("q")
        self._n = 0

    def add(self, tag: int, thing: object) -> None:
        """One more occurrence of a thing, marked by a number."""
        self._recent.extend((tag, hash(thing)))
        if len(self._recent) >= self.BUFFERED:
            self._flush()

    def parts(self) -> "Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]":
        """Tags and hashes of all occurrences of some things, then of others, until all are told."""
        import numpy as np

        self._flush()
        n_parts = self._n // self._part + 1
        for part in range(n_parts):
            chosen = [pairs[pairs[:, 1] % n_parts == part] for pairs in self._pairs()]
            pairs = np.concatenate([np.empty((0, 2), np.int64), *chosen])
            yield pairs[:, 0], pairs[:, 1]

    def close(self) -> None:
        """Delete what is on disk."""
        self._file.close()

    def _pairs(self) -> "Iterator[NDArray[np.int64]]":
        import numpy as np

        self._file.seek(0)
        while raw := self._file.read(8 * self.BUFFERED):
            yield np.frombuffer(raw, np.int64).reshape(-1, 2)

    def _flush(self) -> None:
        self._recent.tofile(self._file)
        self._n += len(self._recent) // 2
        self._recent = array("q")


class _Tally:
    """The records of one application, counted."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.zeros = self.ones = self.ranked = 0
        self.queries = self.queries_with_id = self.events = self.events_with_id = 0
        self.actions: Counter[str] = Counter()
        self.kinds: Counter[Kind] = Counter()
        self.times: Counter[str] = Counter()
        self.distinct = self.lost = self.outnumbered = 0

    def report(self, rank_base: int, *, queries_logged: bool) -> dict[str, Any]:
        """What is told of the application; see `Applications.reports`."""
        without = self.lost + self.events - self.events_with_id
        return {
            "queries": self.queries,
            "distinct_query_ids": self.distinct,
            "repeated": self.queries_with_id - self.distinct,
            "events": self.events,
            "without_query": without if queries_logged else None,
            "actions": dict(self.actions.most_common()),
            "clicks": self.kinds["click"],
            "conversions": self.kinds["conversion"],
            "impressions": self.kinds["impression"],
            "rank_base": rank_base if self.ranked else None,
            "time_formats": dict(self.times.most_common()),
            "more_clicks_than_impressions": self.outnumbered if self.kinds["impression"] else None,
        }


class Applications:
    """The records of a log, counted by the application that wrote them. Close it at the end."""

    def __init__(self, scratch: Path) -> None:
        self._ledger = Ledger(scratch)
        self._tallies: dict[str, _Tally] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ledger.close()

    def add_query(self, name: str, record: Record) -> None:
        """Count a query record."""
        tally = self._tally(name)
        tally.queries += 1
        tally.times[time_format(record.get("timestamp"))] += 1
        if query_id := _query_id(record):
            tally.queries_with_id += 1
            self._ledger.add(N_ROLES * tally.number + QUERY, query_id)

    def add_event(self, name: str, record: Record, kind: Kind) -> None:
        """Count an event record."""
        tally = self._tally(name)
        tally.events += 1
        tally.kinds[kind] += 1
        tally.actions[_within(tally.actions, short(record["action_name"]))] += 1
        tally.times[time_format(record.get("timestamp"))] += 1
        query_id = _query_id(record)
        if query_id:
            tally.events_with_id += 1
            self._ledger.add(N_ROLES * tally.number + EVENT, query_id)
        if kind == "other":
            return
        ordinal = ordinal_of(record)
        tally.ranked += ordinal is not None
        tally.zeros += ordinal == 0
        tally.ones += ordinal == 1
        if kind != "conversion":
            role = CLICKED if kind == "click" else SHOWN
            self._ledger.add(N_ROLES * tally.number + role, (query_id, object_id_of(record)))

    def tops(self, name: str) -> tuple[int, int]:
        """How many of an application's results have the `position.ordinal` 0, and how many 1."""
        return self._tallies[name].zeros, self._tallies[name].ones

    def reports(self, rank_base_of: Callable[[str], int]) -> dict[str, dict[str, Any]]:
        """What is told of each application.

        `without_query` counts events whose query record is not in the log; None where the log holds
        no query record at all. `rank_base` is None where no result has a rank.
        `more_clicks_than_impressions` counts pairs of a search and a document; None where the
        application logs no impressions.

        Args:
            rank_base_of: What the first rank of an application was taken to be.
        """
        by_number = list(self._tallies.values())
        for tags, hashes in self._ledger.parts():
            _settle(by_number, tags, hashes)
        queries_logged = any(tally.queries for tally in by_number)
        return {
            name: tally.report(rank_base_of(name), queries_logged=queries_logged)
            for name, tally in sorted(self._tallies.items())
        }

    def _tally(self, name: str) -> _Tally:
        if tally := self._tallies.get(name):
            return tally
        return self._tallies.setdefault(_within(self._tallies, name), _Tally(len(self._tallies)))


def _within(known: Counter[str] | dict[str, _Tally], name: str) -> str:
    return name if name in known or len(known) < MOST_NAMES else OTHERS


def _settle(tallies: list[_Tally], tags: "NDArray[np.int64]", hashes: "NDArray[np.int64]") -> None:
    """Add to the tallies what one part of the ledger says."""
    import numpy as np

    known = np.unique(hashes[tags % N_ROLES == QUERY])
    for number in np.unique(tags // N_ROLES).tolist():
        tally = tallies[number]
        queries, events, clicked, shown = (
            hashes[tags == N_ROLES * number + role] for role in range(N_ROLES)
        )
        tally.distinct += len(np.unique(queries))
        tally.lost += int((~np.isin(events, known)).sum())
        tally.outnumbered += _more_often(clicked, shown)


def _more_often(clicked: "NDArray[np.int64]", shown: "NDArray[np.int64]") -> int:
    """How many things occur more often in the first than in the second."""
    import numpy as np

    things, clicks = np.unique(clicked, return_counts=True)
    ordered = np.sort(shown)
    seen = np.searchsorted(ordered, things, "right") - np.searchsorted(ordered, things, "left")
    return int((clicks > seen).sum())


def _query_id(record: Record) -> str:
    query_id = record.get("query_id")
    return str(query_id) if isinstance(query_id, str | int) else ""
