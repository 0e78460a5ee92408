"""Where nothing is left for a rater, remembered, so that a nearly done rater waits for nothing.

Finding the last open pairs of somebody who judged most of a big pool means passing over all that
is judged: half a second for 200,000 pairs. So the stretches of queries that were passed over are
kept in memory. What happened since (judgments, new pairs, words about queries, by whomever) makes
a hole in them, where the search looks again; changes of another kind, such as a query that is taken
back, forget everything. Leases are no part of it: a query whose pairs are on other screens is
looked at each time.

A memory is read and written inside of `Store.write`, by one thread at a time, and lost with the
process. It relies on rows becoming visible in the order of their numbers, as where there is one
writer at a time.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from builder.store import Connection, Store, queue
from builder.store.queue import END, PRIORITIES, Marks, Seeker
from builder.store.quota import queue_changes

FAR = 5000
"""After so many new rows all is looked at anew."""

MOST = 1000
"""So many raters and tags are remembered."""


class Stretches:
    """A set of whole numbers, kept as stretches that neither overlap nor touch."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, end: int) -> None:
        """Add all of [start, end)."""
        if start >= end:
            return
        first = bisect_left(self._ends, start)
        last = bisect_right(self._starts, end)
        if first < last:
            start = min(start, self._starts[first])
            end = max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]

    def remove(self, number: int) -> None:
        """Take one number out."""
        at = bisect_right(self._starts, number) - 1
        if at < 0 or number >= self._ends[at]:
            return
        start, end = self._starts.pop(at), self._ends.pop(at)
        parts = [part for part in ((start, number), (number + 1, end)) if part[0] < part[1]]
        self._starts[at:at] = [part[0] for part in parts]
        self._ends[at:at] = [part[1] for part in parts]

    def gaps(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The stretches of [start, end) that are not in the set, as it is at the beginning."""
        inside = list(zip(self._starts, self._ends, strict=True))
        for taken_from, taken_to in inside[bisect_right(self._ends, start) :]:
            if taken_from >= end:
                break
            if start < taken_from:
                yield start, taken_from
            start = taken_to
        if start < end:
            yield start, end


@dataclass(slots=True)
class Place:
    """What is known of one rater's way through the pool.

    Attributes:
        marks: How far the store had come when it was known.
        changes: `quota.queue_changes` at that time.
        passed: By priority, the query_keys in which nothing is open for the rater.
    """

    marks: Marks
    changes: int
    passed: dict[int, Stretches] = field(
        default_factory=lambda: {priority: Stretches() for priority in PRIORITIES}
    )

    def is_far_behind(self, marks: Marks, changes: int) -> bool:
        """Whether looking anew is quicker than following what happened."""
        news = (marks.judgment - self.marks.judgment) + (marks.pair - self.marks.pair)
        return changes != self.changes or not 0 <= news <= FAR


_PLACES: WeakKeyDictionary[Store, dict[Seeker, Place]] = WeakKeyDictionary()


def prepare(store: Store, connection: Connection, seeker: Seeker, start: int, now: str) -> None:
    """Look ahead where nothing is known yet: in a reading transaction, so that nobody waits."""
    marks, changes = queue.latest_marks(connection), queue_changes(connection)
    places = _PLACES.setdefault(store, {})
    known = places.get(seeker)
    if known is None or known.is_far_behind(marks, changes):
        fresh = Place(marks, changes)
        _seek(connection, fresh, seeker, start, now)
        if len(places) >= MOST:
            places.clear()
        places[seeker] = fresh


def seek(
    store: Store, connection: Connection, seeker: Seeker, start: int, now: str
) -> tuple[int, int] | None:
    """(query_key, pair_id) of the open pair that comes first from query `start` on, going round.

    Those of a higher priority come before; None if nothing is open, skipped pairs left aside.

    Args:
        store: Whose places are remembered.
        connection: Inside of `Store.write`, before anything but leases was written.
        seeker: The rater and the tag.
        start: The query_key from which the rater goes on.
        now: As `moments.utc_text` writes it.
    """
    marks, changes = queue.latest_marks(connection), queue_changes(connection)
    places = _PLACES.setdefault(store, {})
    place = places.get(seeker)
    if place is None or place.is_far_behind(marks, changes):
        place = places[seeker] = Place(marks, changes)
    _catch_up(connection, place, marks)
    return _seek(connection, place, seeker, start, now)


def _catch_up(connection: Connection, place: Place, marks: Marks) -> None:
    if place.marks == marks:
        return
    for query_key in queue.queries_touched(connection, place.marks):
        for stretches in place.passed.values():
            stretches.remove(query_key)
    place.marks = marks


def _seek(
    connection: Connection, place: Place, seeker: Seeker, start: int, now: str
) -> tuple[int, int] | None:
    for priority in PRIORITIES:
        passed = place.passed[priority]
        for ahead in ((start, END), (0, start)):
            for gap in list(passed.gaps(*ahead)):
                found = _seek_gap(connection, passed, seeker, priority, gap, now)
                if found is not None:
                    return found
    return None


def _seek_gap(
    connection: Connection,
    passed: Stretches,
    seeker: Seeker,
    priority: int,
    gap: tuple[int, int],
    now: str,
) -> tuple[int, int] | None:
    start, end = gap
    while start < end:
        found = queue.first_query(connection, seeker, priority, start, end)
        passed.add(start, end if found is None else found)
        if found is None:
            return None
        still_open = queue.open_pairs(connection, seeker, found, now)
        if still_open:
            return found, still_open[0]
        start = found + 1  # on other screens: it may open again, and is not passed
    return None
