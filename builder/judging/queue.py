"""The queue: which pair a rater sees next.

Grouped by query, so that an information need is read once; within a query in an order of the
rater's own that says nothing of ranks; never the same pair twice; at most as many raters a pair as
it wants. What is on a screen is leased: kept from others for some minutes, longer while the page
is open, and free again when the rater has gone. A lease is taken in the transaction that picks the
pair, so that two raters never get the last place of one.
"""

from datetime import UTC, datetime, timedelta

from builder.judging import places
from builder.judging.counts import query_place
from builder.judging.outcomes import (
    LONGEST_COMMENT,
    LONGEST_REASON,
    Outcome,
    QueryOutcome,
    Undone,
    cannot_judge,
    flag_query,
    skip,
    submit_grade,
    undo_last,
)
from builder.judging.pairs import (
    Filters,
    Pair,
    Standing,
    check_pair,
    grading_person,
    known_query,
    own_standing,
    pair_for,
    seeker_of,
)
from builder.judging.progress import GradingProgress, progress_of, tags_with_pairs
from builder.store import Connection, leases, queue, shown
from builder.store.leases import Span, span
from builder.store.queue import Seeker
from builder.workspace import Workspace

__all__ = [
    "LONGEST_COMMENT",
    "LONGEST_REASON",
    "Filters",
    "GradingProgress",
    "Outcome",
    "Pair",
    "QueryOutcome",
    "Standing",
    "Undone",
    "cannot_judge",
    "flag_query",
    "next_pair",
    "next_query_id",
    "progress_of",
    "query_pairs",
    "renew_leases",
    "skip",
    "submit_grade",
    "tags_with_pairs",
    "undo_last",
]

LONGEST_ABSENCE = timedelta(hours=1)
"""Whoever did nothing for so long has gone, though the page is still open."""

_EVERYTHING = Filters()


def next_pair(
    workspace: Workspace,
    rater: str,
    filters: Filters = _EVERYTHING,
    *,
    wanted: int | None = None,
    now: datetime | None = None,
) -> Pair | None:
    """The pair that the rater grades next, leased to the rater; None if nothing is open.

    First what is on the rater's screen already, in whatever tab; then the open pairs of the query
    in hand; then those of the queries after it, going round, higher priorities first; at last what
    the rater skipped, the longest ago first.

    Args:
        workspace: Where the pool lies.
        rater: The rater's name.
        filters: Which part of the pool.
        wanted: A pair to come to first, though it be judged or complete: with it comes what the
            rater says of it. It is leased only if it is open for the rater.
        now: Default: this moment.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
        BuilderError: There is no pair `wanted`.
    """
    lasting = _span(workspace, now)
    if wanted is not None:
        return _wanted_pair(workspace, rater, wanted, lasting)
    held = _held(workspace, rater, filters, lasting)
    if held is not None:
        return held
    with workspace.store.write() as connection:
        seeker = seeker_of(connection, rater, filters)
        pair_id = _sought(workspace, connection, seeker, lasting.now)
        chosen = [] if pair_id is None else [pair_id]
        leases.take_leases(connection, seeker.rater_id, chosen, lasting)
    if pair_id is None:
        return None
    with workspace.store.read() as connection:
        return pair_for(workspace.store, connection, seeker.rater_id, pair_id, lasting.now)


def query_pairs(
    workspace: Workspace, rater: str, query_id: str, now: datetime | None = None
) -> list[Pair]:
    """The list view: all pairs of a query that this rater may grade or has judged.

    Those that are open are leased to the rater; they come in the rater's own stable order.

    Args:
        workspace: Where the query lies.
        rater: The rater's name.
        query_id: The query.
        now: Default: this moment.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
        BuilderError: There is no such query.
    """
    lasting = _span(workspace, now)
    with workspace.store.read() as connection:
        seeker = seeker_of(connection, rater, _EVERYTHING)
        query_key = known_query(connection, query_id)
        wanted = queue.leasable_pairs(connection, seeker, query_key, lasting.now)
        held = leases.held_leases(connection, seeker.rater_id, lasting.now)
    if set(held) != set(wanted) or any(end < lasting.stale for end in held.values()):
        with workspace.store.write() as connection:
            wanted = queue.leasable_pairs(connection, seeker, query_key, lasting.now)
            leases.take_leases(connection, seeker.rater_id, wanted, lasting)
    with workspace.store.read() as connection:
        return _listed(workspace, connection, seeker, query_key, set(wanted))


def next_query_id(
    workspace: Workspace,
    rater: str,
    filters: Filters = _EVERYTHING,
    after: str | None = None,
    now: datetime | None = None,
) -> str | None:
    """The list view: the query that comes next for this rater; None if nothing is open.

    Args:
        workspace: Where the pool lies.
        rater: The rater's name.
        filters: Which part of the pool.
        after: The query on screen, to go on from; None: the query in hand, while it has open pairs.
        now: Default: this moment.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
        BuilderError: There is no query `after`.
    """
    moment = _span(workspace, now).now
    with workspace.store.write() as connection:
        seeker = seeker_of(connection, rater, filters)
        if after is None:
            pair_id = _sought(workspace, connection, seeker, moment)
        else:
            start = known_query(connection, after) + 1
            pair_id = _from(workspace, connection, seeker, start, moment)
        found = None if pair_id is None else shown.shown_pair(connection, pair_id)
    return None if found is None else found.query.query_id


def renew_leases(
    workspace: Workspace, rater: str, *, active_at: datetime, now: datetime | None = None
) -> int:
    """Keep what is on the rater's screen for the rater while the page is open.

    Args:
        workspace: Where the leases lie.
        rater: The rater's name.
        active_at: When the rater last did something here: more than an hour ago, and nothing is
            kept any longer.
        now: Default: this moment.

    Returns:
        How many pairs the rater still holds; one that was lost is not taken back.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
    """
    lasting = _span(workspace, now)
    with workspace.store.read() as connection:
        rater_id = grading_person(connection, rater).person_id
        held = leases.held_leases(connection, rater_id, lasting.now)
    gone = (now or datetime.now(UTC)) - active_at > LONGEST_ABSENCE
    if gone or not any(end < lasting.stale for end in held.values()):
        return len(held)
    with workspace.store.write() as connection:
        return leases.extend_leases(connection, rater_id, lasting)


def _span(workspace: Workspace, now: datetime | None) -> Span:
    return span(now or datetime.now(UTC), workspace.settings.lease_minutes)


def _held(workspace: Workspace, rater: str, filters: Filters, lasting: Span) -> Pair | None:
    """The pair on the rater's screen, if nothing is to be written; else look ahead."""
    store = workspace.store
    with store.read() as connection:
        seeker = seeker_of(connection, rater, filters)
        held = queue.held_pair(connection, seeker, lasting.now)
        if held is None:
            start = _start(workspace, connection, seeker)
            places.prepare(store, connection, seeker, start, lasting.now)
            return None
        pair_id, end = held
        others = leases.held_leases(connection, seeker.rater_id, lasting.now).keys() - {pair_id}
        if others or end < lasting.stale:
            return None
        return pair_for(store, connection, seeker.rater_id, pair_id, lasting.now)


def _wanted_pair(workspace: Workspace, rater: str, pair_id: int, lasting: Span) -> Pair:
    with workspace.store.write() as connection:
        seeker = seeker_of(connection, rater, _EVERYTHING)
        check_pair(connection, pair_id)
        if queue.is_open(connection, seeker, pair_id, lasting.now):
            leases.take_leases(connection, seeker.rater_id, [pair_id], lasting)
        return pair_for(workspace.store, connection, seeker.rater_id, pair_id, lasting.now)


def _sought(workspace: Workspace, connection: Connection, seeker: Seeker, now: str) -> int | None:
    """The pair_id of the pair that comes next, or None; nothing is leased yet."""
    held = queue.held_pair(connection, seeker, now)
    if held is not None:
        return held[0]
    start = _start(workspace, connection, seeker)
    in_hand = queue.open_pairs(connection, seeker, start, now)
    return in_hand[0] if in_hand else _from(workspace, connection, seeker, start, now)


def _from(
    workspace: Workspace, connection: Connection, seeker: Seeker, start: int, now: str
) -> int | None:
    """The pair that comes next from the query `start` on; at last what was skipped."""
    found = places.seek(workspace.store, connection, seeker, start, now)
    return queue.skipped_pair(connection, seeker, now) if found is None else found[1]


def _start(workspace: Workspace, connection: Connection, seeker: Seeker) -> int:
    """The query in hand; for a new rater the query to begin with."""
    in_hand = queue.query_in_hand(connection, seeker.rater_id)
    if in_hand is not None:
        return in_hand
    k = workspace.settings.raters_per_pair
    return queue.first_query_of(connection, seeker.rater_id, k)


def _listed(
    workspace: Workspace, connection: Connection, seeker: Seeker, query_key: int, wanted: set[int]
) -> list[Pair]:
    found = shown.shown_pairs(connection, seeker, query_key)
    own = own_standing(connection, seeker.rater_id, [pair.pair_id for pair in found])
    position, n_queries = query_place(workspace.store, connection, query_key)
    return [
        Pair(
            pair.pair_id,
            pair.query,
            pair.document,
            position,
            n_queries,
            len(wanted),
            own.get(pair.pair_id),
        )
        for pair in found
        if pair.pair_id in wanted or pair.pair_id in own
    ]
