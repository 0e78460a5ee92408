"""Counts for the grading page that may be ten seconds old.

Counting 200,000 pairs takes some ten milliseconds, too long for each press of a key. Here each
count is kept for ten seconds, or until the pool grows; what the rater does in between is followed
exactly, what others do shows at the next count.
"""

import time
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from builder.store import Connection, Store, queue
from builder.store.queue import OwnCounts, Seeker

RECOUNT_SECONDS = 10.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Counted(Generic[T]):
    """What was counted, when, and which pair was the newest then."""

    value: T
    newest_pair: int
    at: float = field(default_factory=time.monotonic)

    def holds(self, newest_pair: int) -> bool:
        """Whether it may still be shown."""
        return newest_pair == self.newest_pair and time.monotonic() - self.at < RECOUNT_SECONDS


@dataclass(slots=True)
class _Counts:
    """What was counted in one store: the active queries with pairs, and pairs left by rater."""

    queries: _Counted[list[int]] | None = None
    left: dict[Seeker, _Counted[tuple[int, int]]] = field(default_factory=dict)


_COUNTS: WeakKeyDictionary[Store, _Counts] = WeakKeyDictionary()


def count_left(store: Store, connection: Connection, seeker: Seeker, own: OwnCounts) -> int:
    """How many pairs are open for the rater, of whom `own` stands now."""
    counts = _COUNTS.setdefault(store, _Counts())
    newest_pair = queue.newest_pair(connection)
    last = counts.left.get(seeker)
    if last is None or not last.holds(newest_pair):
        last = _Counted((queue.count_open(connection, seeker), own.settled), newest_pair)
        counts.left[seeker] = last
    left_then, settled_then = last.value
    return max(0, left_then + settled_then - own.settled)


def query_place(store: Store, connection: Connection, query_key: int) -> tuple[int, int]:
    """Which one the query is among the active ones with pairs, from 1, and how many these are."""
    counts = _COUNTS.setdefault(store, _Counts())
    newest_pair = queue.newest_pair(connection)
    if counts.queries is None or not counts.queries.holds(newest_pair):
        counts.queries = _Counted(queue.queries_with_pairs(connection), newest_pair)
    query_keys = counts.queries.value
    return bisect_right(query_keys, query_key), len(query_keys)
