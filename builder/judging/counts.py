"""Counts for the grading page that may be some seconds old.

Counting 200,000 pairs takes some ten milliseconds, and what a rater has settled of them a hundred:
too long for each press of a key. So each count is kept for ten seconds, or longer where counting
took longer, or until the pool changes; what the rater does in between is followed exactly, what
others do shows at the next count.
"""

import json
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from builder.store import Connection, Store, queue, queue_counts
from builder.store.queue import Seeker
from builder.store.queue_counts import OwnCounts
from builder.store.quota import queue_changes

RECOUNT_SECONDS = 10.0
PATIENCE = 500
"""A count is kept at least so many times as long as it took: it costs a five-hundredth at most."""

T = TypeVar("T")
Version = tuple[int, ...]
"""Counts of another version of the pool do not hold: pairs, words about queries, changes."""


@dataclass(frozen=True, slots=True)
class _Counted(Generic[T]):
    """What was counted, of which version, when, and for how long it may be shown."""

    value: T
    version: Version
    until: float

    def holds(self, version: Version) -> bool:
        """Whether it may still be shown."""
        return version == self.version and time.monotonic() < self.until


@dataclass(frozen=True, slots=True)
class Work:
    """A rater's work, within the tag that is asked for.

    Attributes:
        own: What stands for the rater.
        left: Pairs that want a grade of the rater, skipped ones and those on other screens too.
    """

    own: OwnCounts
    left: int


@dataclass(frozen=True, slots=True)
class _Begun:
    """The work at the moment of counting, and what stood for the rater everywhere then."""

    tag: str | None
    work: Work
    everywhere: OwnCounts


@dataclass(slots=True)
class _Counts:
    """What was counted in one store."""

    queries: _Counted[list[int]] | None = None
    tags: _Counted[list[tuple[str, int]]] | None = None
    own: dict[int, _Counted[tuple[int, OwnCounts]]] = field(default_factory=dict)
    work: dict[int, _Counted[_Begun]] = field(default_factory=dict)


_COUNTS: WeakKeyDictionary[Store, _Counts] = WeakKeyDictionary()


def count_work(store: Store, connection: Connection, seeker: Seeker) -> Work:
    """What the rater has done and what is left, within the seeker's tag if there is one."""
    counts, version = _COUNTS.setdefault(store, _Counts()), _version(connection)
    everywhere = _count_own(counts, connection, seeker.rater_id, version)
    last = counts.work.get(seeker.rater_id)
    if last is None or last.value.tag != seeker.tag or not last.holds(version):
        last = _counted(version, lambda: _begin(connection, seeker, everywhere))
        counts.work[seeker.rater_id] = last
    since = everywhere - last.value.everywhere
    begun = last.value.work
    return Work(begun.own + since, max(0, begun.left - since.settled))


def query_place(store: Store, connection: Connection, query_key: int) -> tuple[int, int]:
    """Which one the query is among the active ones with pairs, from 1, and how many these are."""
    counts, version = _COUNTS.setdefault(store, _Counts()), _version(connection)
    if counts.queries is None or not counts.queries.holds(version):
        counts.queries = _counted(version, lambda: queue_counts.queries_with_pairs(connection))
    query_keys = counts.queries.value
    return bisect_right(query_keys, query_key), len(query_keys)


def count_tags(store: Store, connection: Connection) -> list[tuple[str, int]]:
    """The tags of active queries with pairs, each with its number of queries, by name."""
    counts, version = _COUNTS.setdefault(store, _Counts()), _version(connection)
    if counts.tags is None or not counts.tags.holds(version):
        counts.tags = _counted(version, lambda: _tags(connection))
    return counts.tags.value


def _version(connection: Connection) -> Version:
    marks = queue.latest_marks(connection)
    return marks.pair, marks.outcome, queue_changes(connection)


def _counted(version: Version, count: Callable[[], T]) -> _Counted[T]:
    began = time.monotonic()
    value = count()
    now = time.monotonic()
    return _Counted(value, version, now + max(RECOUNT_SECONDS, PATIENCE * (now - began)))


def _begin(connection: Connection, seeker: Seeker, everywhere: OwnCounts) -> _Begun:
    own = everywhere if seeker.tag is None else queue_counts.count_own(connection, seeker)
    work = Work(own, max(0, queue_counts.count_open(connection, seeker)))
    return _Begun(seeker.tag, work, everywhere)


def _count_own(
    counts: _Counts, connection: Connection, rater_id: int, version: Version
) -> OwnCounts:
    """What stands for the rater in all queries; exact, by following the rater's log."""
    newest = queue_counts.newest_of_rater(connection, rater_id)
    last = counts.own.get(rater_id)
    if last is not None and last.version == version:
        at, own = last.value
        if newest < at:  # another thread of this rater has seen more
            return own
        since = OwnCounts() if at == newest else queue_counts.own_since(connection, rater_id, at)
        if since is not None:
            counts.own[rater_id] = _Counted((newest, own + since), version, last.until)
            return own + since
    own = queue_counts.count_own(connection, Seeker(rater_id))
    counts.own[rater_id] = _Counted((newest, own), version, float("inf"))
    return own


def _tags(connection: Connection) -> list[tuple[str, int]]:
    numbered: Counter[str] = Counter()
    for tags in queue_counts.tags_of_queries_with_pairs(connection):
        numbered.update(set(json.loads(tags)))
    return sorted(numbered.items())
