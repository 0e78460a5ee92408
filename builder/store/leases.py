"""Leases: which pairs are on whose screen, so that no more people grade a pair than it wants.

A lease that has run out counts for nothing, whether or not its row is still there. It never keeps
anybody from answering late: leases decide what is offered, not what is accepted.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from builder.store.moments import utc_text
from builder.store.schema import leases, pairs


class Span(NamedTuple):
    """From when to when a lease lasts.

    Attributes:
        now: Its begin, as `moments.utc_text` writes it.
        end: Its end.
        stale: A lease that ends before this has less than two thirds left.
    """

    now: str
    end: str
    stale: str


def span(now: datetime, minutes: float) -> Span:
    """The lease of so many minutes that begins now."""
    length = timedelta(minutes=minutes)
    return Span(utc_text(now), utc_text(now + length), utc_text(now + length * 2 / 3))


def free_slots() -> ColumnElement[int]:
    """How many grades a pair wants beyond those that others are about to give.

    Binds `rater`, for whom it is asked, and `now`.
    """
    others = select(func.count()).where(
        leases.c.pair_id == pairs.c.pair_id,
        leases.c.rater_id != bindparam("rater"),
        leases.c.expires_at > bindparam("now"),
    )
    return pairs.c.open_slots - others.correlate(pairs).scalar_subquery()


def held_leases(connection: Connection, rater_id: int, now: str) -> dict[int, str]:
    """The pairs on this rater's screen, each with the end of its lease."""
    mine = select(leases.c.pair_id, leases.c.expires_at)
    mine = mine.where(leases.c.rater_id == rater_id, leases.c.expires_at > now)
    return {row.pair_id: row.expires_at for row in connection.execute(mine)}


def take_leases(
    connection: Connection, rater_id: int, pair_ids: Sequence[int], lasting: Span
) -> None:
    """Let the rater hold these pairs and no others; leases that have run out are swept.

    Args:
        connection: Inside the writing transaction that found the pairs free.
        rater_id: The rater's person_id.
        pair_ids: The pairs, each once.
        lasting: From now until when.
    """
    ended = (leases.c.rater_id == rater_id) | (leases.c.expires_at <= lasting.now)
    connection.execute(delete(leases).where(ended))
    rows = [
        {
            "pair_id": pair_id,
            "rater_id": rater_id,
            "taken_at": lasting.now,
            "expires_at": lasting.end,
        }
        for pair_id in pair_ids
    ]
    if rows:
        connection.execute(insert(leases), rows)


def release_leases(connection: Connection, rater_id: int, pair_ids: Collection[int]) -> None:
    """The rater is done with these pairs."""
    mine = (leases.c.rater_id == rater_id) & leases.c.pair_id.in_(pair_ids)
    connection.execute(delete(leases).where(mine))


def release_query(connection: Connection, rater_id: int, query_key: int) -> None:
    """The rater is done with all pairs of the query."""
    of_query = select(pairs.c.pair_id).where(pairs.c.query_key == query_key)
    mine = (leases.c.rater_id == rater_id) & leases.c.pair_id.in_(of_query)
    connection.execute(delete(leases).where(mine))


def extend_leases(connection: Connection, rater_id: int, lasting: Span) -> int:
    """Let what the rater holds last until the span's end; how many leases.

    A lease that has run out is not taken up again: its pair may be somebody else's by now.
    """
    mine = (leases.c.rater_id == rater_id) & (leases.c.expires_at > lasting.now)
    return connection.execute(update(leases).where(mine).values(expires_at=lasting.end)).rowcount
