"""What an import of UBI records tells about each application that wrote them."""

from array import array
from collections import Counter
from typing import TYPE_CHECKING, Any

from online.sources.ubi_records import Kind, Record, object_id_of, ordinal_of, time_format

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MERGED_AT = 1 << 20
"""After how many occurrences equal ones are merged: 8 MB."""

MOST_ACTIONS = 1000
OTHERS = "(others)"
"""Stands for all names behind the first thousand: a log may hold anything."""

FEW_ZEROS = 0.2
"""Where fewer ranks are 0 than this share of those that are 1, zeros look like mistakes: the first
result is shown at least as often as the second."""


class Occurrences:
    """How often each of many things occurred, in 16 bytes a thing.

    Things are known by Python's 64-bit hash: of a hundred million, two would be taken for one with
    a probability of one in four thousand.
    """

    def __init__(self) -> None:
        self._recent = array("q")
        self._merged: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    def add(self, thing: object) -> None:
        """One more occurrence."""
        self._recent.append(hash(thing))
        if len(self._recent) >= MERGED_AT:
            self.counts()

    def counts(self) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
        """Hashes, ascending, and how often each occurred."""
        import numpy as np

        keys = np.frombuffer(self._recent, np.int64) if self._recent else np.empty(0, np.int64)
        numbers = np.ones(len(keys), np.int64)
        if self._merged:
            keys = np.concatenate([self._merged[0], keys])
            numbers = np.concatenate([self._merged[1], numbers])
        found, places = np.unique(keys, return_inverse=True)
        summed = np.bincount(places, numbers, len(found)).astype(np.int64)
        self._merged, self._recent = (found, summed), array("q")
        return self._merged


class ApplicationTally:
    """The records of one application, counted.

    Attributes:
        query_ids: Of its query records.
        event_query_ids: Of its events that name one.
        zeros: Results shown or clicked whose `position.ordinal` is 0.
        ones: Those whose `position.ordinal` is 1.
    """

    def __init__(self) -> None:
        self.query_ids = Occurrences()
        self.event_query_ids = Occurrences()
        self.zeros = self.ones = 0
        self._queries = self._queries_with_id = self._events = self._events_with_id = 0
        self._ranked = 0
        self._actions: Counter[str] = Counter()
        self._kinds: Counter[Kind] = Counter()
        self._times: Counter[str] = Counter()
        self._clicked, self._shown = Occurrences(), Occurrences()

    @property
    def has_few_zeros(self) -> bool:
        """Whether ranks that are 0 look like mistakes of an application that counts from 1."""
        return 0 < self.zeros < FEW_ZEROS * self.ones

    def add_query(self, record: Record) -> None:
        """Count a query record."""
        self._queries += 1
        self._times[time_format(record.get("timestamp"))] += 1
        if query_id := _query_id(record):
            self._queries_with_id += 1
            self.query_ids.add(query_id)

    def add_event(self, record: Record, kind: Kind) -> None:
        """Count an event record."""
        self._events += 1
        self._kinds[kind] += 1
        action = record["action_name"]
        is_counted = action in self._actions or len(self._actions) < MOST_ACTIONS
        self._actions[action if is_counted else OTHERS] += 1
        self._times[time_format(record.get("timestamp"))] += 1
        query_id = _query_id(record)
        if query_id:
            self._events_with_id += 1
            self.event_query_ids.add(query_id)
        if kind != "other":
            self._add_result(record, kind, query_id)

    def _add_result(self, record: Record, kind: Kind, query_id: str) -> None:
        ordinal = ordinal_of(record)
        self._ranked += ordinal is not None
        self.zeros += ordinal == 0
        self.ones += ordinal == 1
        if kind in ("click", "impression"):
            pair = (query_id, object_id_of(record))
            (self._clicked if kind == "click" else self._shown).add(pair)

    def report(self, rank_base: int, known: "NDArray[np.int64] | None") -> dict[str, Any]:
        """What is told of this application.

        Args:
            rank_base: What its first rank was taken to be.
            known: The query ids, as hashes, that have a query record in the log; None where the
                log has no query record at all, so that it cannot say which events lack theirs.
        """
        distinct = len(self.query_ids.counts()[0])
        return {
            "queries": self._queries,
            "distinct_query_ids": distinct,
            "repeated": self._queries_with_id - distinct,
            "events": self._events,
            "without_query": None if known is None else self._without_query(known),
            "actions": dict(self._actions.most_common()),
            "clicks": self._kinds["click"],
            "conversions": self._kinds["conversion"],
            "impressions": self._kinds["impression"],
            "rank_base": rank_base if self._ranked else None,
            "time_formats": dict(self._times.most_common()),
            "more_clicks_than_impressions": self._outnumbered(),
        }

    def _without_query(self, known: "NDArray[np.int64]") -> int:
        import numpy as np

        hashes, numbers = self.event_query_ids.counts()
        lost = numbers[~np.isin(hashes, known)].sum()
        return int(lost) + self._events - self._events_with_id

    def _outnumbered(self) -> int | None:
        """Pairs of a search and a document with more clicks than impressions.

        None where the application logs no impressions.
        """
        import numpy as np

        if not self._kinds["impression"]:
            return None
        clicked, clicks = self._clicked.counts()
        shown, impressions = self._shown.counts()
        place = np.minimum(np.searchsorted(shown, clicked), len(shown) - 1)
        seen = np.where(shown[place] == clicked, impressions[place], 0)
        return int((clicks > seen).sum())


def _query_id(record: Record) -> str:
    query_id = record.get("query_id")
    return str(query_id) if isinstance(query_id, str | int) else ""
