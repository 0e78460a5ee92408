"""Which pairs are open for a rater: sought in the indexes, never by looking through the pool.

A pair is open for a rater while it wants more grades than others are about to give
(`leases.free_slots`), the rater has said nothing of it that stands, and nothing of its whole query.
`pairs_open` leads to the next query with a pair that wants any; the rater's own index entries tell
which pairs to pass over.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    bindparam,
    case,
    cast,
    exists,
    func,
    literal_column,
    select,
)

from builder.store.judgment_imports import IMPORTED
from builder.store.leases import free_slots
from builder.store.schema import (
    current_judgments,
    judgments,
    leases,
    pairs,
    people,
    queries,
    query_outcomes,
)

PRIORITIES = (2, 1, 0)
"""First, as it comes, later."""

END = 2**31 - 1
"""Beyond all query_keys."""

RECENT = 200
"""So far back in a rater's log the query in hand is sought."""

_ROOT = 48271  # a primitive root of the prime END, known from Lehmer's random number generator


@dataclass(frozen=True, slots=True)
class Seeker:
    """For whom open pairs are sought, and where.

    Attributes:
        rater_id: The rater's person_id.
        tag: Only in queries with exactly this tag; None: in all.
    """

    rater_id: int
    tag: str | None = None

    def bound(self, now: str = "", **more: int | str) -> dict[str, int | str]:
        """What the statements of this module ask for, at the moment `now`."""
        tag = "" if self.tag is None else tag_text(self.tag)
        multiplier = pow(_ROOT, self.rater_id + 1000, END)
        known: dict[str, int | str] = {"rater": self.rater_id, "now": now, "tag": tag}
        return known | {"multiplier": multiplier} | more


@dataclass(frozen=True, slots=True)
class Marks:
    """How far the store has come; whatever may open a pair raises one of them.

    Attributes:
        judgment: The latest row of the log of judgments; 0 if there is none.
        pair: The newest pair.
        outcome: The latest word about a whole query.
    """

    judgment: int
    pair: int
    outcome: int


def tag_text(tag: str) -> str:
    """The tag as it stands within `queries.tags`: as JSON, so that no other tag holds it."""
    return json.dumps(tag, ensure_ascii=False)


def first_query(
    connection: Connection, seeker: Seeker, priority: int, start: int, end: int
) -> int | None:
    """The first query_key in [start, end) with an open pair of this priority, leases left aside."""
    asked = seeker.bound(priority=priority, start=start, end=end)
    statement = _FIRST_QUERY if seeker.tag is None else _FIRST_TAGGED
    return connection.execute(statement, asked).scalar_one_or_none()


def open_pairs(connection: Connection, seeker: Seeker, query_key: int, now: str) -> Sequence[int]:
    """The pair_ids of the query that are open for the rater, skipped ones not among them.

    By priority, then in this rater's own stable order: ((pair_id + a) * a)^2 mod p, with another a
    for each rater; it says nothing of ranks, nor of which pair is older.
    """
    statement = _OPEN_PAIRS if seeker.tag is None else _OPEN_TAGGED
    return connection.execute(statement, seeker.bound(now, query_key=query_key)).scalars().all()


def leasable_pairs(
    connection: Connection, seeker: Seeker, query_key: int, now: str
) -> Sequence[int]:
    """The pair_ids of the query that the rater may be asked for now, or has on screen already.

    Skipped pairs are among them; tags do not matter. In the rater's own stable order.
    """
    asked = seeker.bound(now, query_key=query_key)
    return connection.execute(_LEASABLE, asked).scalars().all()


def held_pair(connection: Connection, seeker: Seeker, now: str) -> tuple[int, str] | None:
    """The pair on the rater's screen that is still to be judged, and the end of its lease."""
    statement = _HELD if seeker.tag is None else _HELD_TAGGED
    row = connection.execute(statement, seeker.bound(now)).first()
    return None if row is None else (row.pair_id, row.expires_at)


def skipped_pair(connection: Connection, seeker: Seeker, now: str) -> int | None:
    """The pair that the rater skipped first, of those that still want a grade; else None."""
    statement = _SKIPPED if seeker.tag is None else _SKIPPED_TAGGED
    return connection.execute(statement, seeker.bound(now)).scalar_one_or_none()


def is_open(connection: Connection, seeker: Seeker, pair_id: int, now: str) -> bool:
    """Whether the rater may be asked for this pair; also if the rater skipped it before."""
    asked = seeker.bound(now, pair=pair_id)
    return connection.execute(_IS_OPEN, asked).scalar_one_or_none() is not None


def query_in_hand(connection: Connection, rater_id: int) -> int | None:
    """The query_key of which the rater said something last; None if the rater is new here."""
    judged = connection.execute(_LATEST, {"rater": rater_id}).one_or_none()
    said = connection.execute(_LATEST_OUTCOME, {"rater": rater_id}).one_or_none()
    latest = [row for row in (judged, said) if row is not None]
    return max(latest, key=lambda row: row.recorded_at).query_key if latest else None


def first_query_of(connection: Connection, rater_id: int, raters_per_pair: int) -> int:
    """The query_key from which a rater who never judged here starts.

    As many raters as a pair wants start at the same query, so that they overlap early and none of
    them fills up what another is about to grade; the next ones start as far away as they can.
    """
    active = (people.c.kind == "human") & (people.c.active == 1)
    before = select(func.count()).select_from(people).where(active, people.c.person_id < rater_id)
    slot = connection.execute(before).scalar_one() // raters_per_pair
    last = connection.execute(select(func.max(queries.c.query_key))).scalar_one() or 0
    golden = 0.6180339887498949  # its multiples modulo 1 keep furthest apart
    return int(slot * golden % 1.0 * last)


def latest_marks(connection: Connection) -> Marks:
    """How far the store has come."""
    return Marks(*(connection.execute(newest).scalar_one() or 0 for newest in _NEWEST))


def queries_touched(connection: Connection, since: Marks) -> set[int]:
    """The query_keys of all judgments, new pairs and words about queries after `since`."""
    asked = {"judgment": since.judgment, "pair": since.pair, "outcome": since.outcome}
    return {
        query_key
        for touched in _TOUCHED
        for query_key in connection.execute(touched, asked).scalars()
    }


def tagged(column: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether the query_key in `column` is of a query with the tag that is bound to `tag`."""
    return exists().where(queries.c.query_key == column, has_tag())


def has_tag() -> ColumnElement[bool]:
    """Whether the query in hand has the tag that is bound to `tag`; case matters."""
    return func.replace(queries.c.tags, bindparam("tag"), "") != queries.c.tags


def wants_grades() -> ColumnElement[bool]:
    """Whether a pair wants more grades; written so that it leads to the index `pairs_open`."""
    return pairs.c.open_slots > literal_column("0")


def said_by_rater(*passing: str) -> ColumnElement[bool]:
    """Whether the rater has said something of the pair that stands, other than `passing`."""
    mine = (current_judgments.c.pair_id == pairs.c.pair_id) & (
        current_judgments.c.rater_id == bindparam("rater")
    )
    stands = current_judgments.c.outcome.not_in(["undone", *passing])
    return exists().where(mine, stands)


def flagged_by_rater(column: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether the rater has said something of the whole query that stands."""
    return exists().where(
        query_outcomes.c.query_key == column,
        query_outcomes.c.rater_id == bindparam("rater"),
        query_outcomes.c.standing == 1,
    )


def in_raters_order() -> list[ColumnElement[Any]]:
    """The order of one query's pairs for one rater.

    Squared, since ids tell who named a pair: those of one filling follow one another, and without
    the square, which only shifts them round the circle, older pairs would come at one and the same
    place in query after query. All numbers stay below 2^63.
    """
    multiplier = bindparam("multiplier", type_=BigInteger)
    mixed = (cast(pairs.c.pair_id, BigInteger) + multiplier) * multiplier % END
    return [pairs.c.priority.desc(), mixed * mixed % END, pairs.c.pair_id]


def _first() -> Select[Any]:
    chosen: Select[Any] = select(pairs.c.query_key).where(
        wants_grades(),
        pairs.c.priority == bindparam("priority"),
        pairs.c.query_key >= bindparam("start"),
        pairs.c.query_key < bindparam("end"),
        ~said_by_rater(),
        ~flagged_by_rater(pairs.c.query_key),
    )
    return chosen.order_by(pairs.c.query_key).limit(1)


def _first_tagged() -> Select[Any]:
    """Query by query: few have the tag, and the pairs of the others are not looked at."""
    has_open = exists().where(
        wants_grades(),
        pairs.c.priority == bindparam("priority"),
        pairs.c.query_key == queries.c.query_key,
        ~said_by_rater().correlate(pairs),
    )
    chosen: Select[Any] = select(queries.c.query_key).where(
        queries.c.query_key >= bindparam("start"),
        queries.c.query_key < bindparam("end"),
        has_tag(),
        has_open,
        ~flagged_by_rater(queries.c.query_key),
    )
    return chosen.order_by(queries.c.query_key).limit(1)


def _open_pairs() -> Select[Any]:
    chosen: Select[Any] = select(pairs.c.pair_id).where(
        pairs.c.query_key == bindparam("query_key"),
        pairs.c.open_slots > 0,
        free_slots() > 0,
        ~said_by_rater(),
        ~flagged_by_rater(pairs.c.query_key),
    )
    return chosen.order_by(*in_raters_order())


def _leasable() -> Select[Any]:
    mine = exists().where(
        leases.c.pair_id == pairs.c.pair_id,
        leases.c.rater_id == bindparam("rater"),
        leases.c.expires_at > bindparam("now"),
    )
    chosen: Select[Any] = select(pairs.c.pair_id).where(
        pairs.c.query_key == bindparam("query_key"),
        ((pairs.c.open_slots > 0) & (free_slots() > 0)) | mine,
        ~said_by_rater("skip"),
        ~flagged_by_rater(pairs.c.query_key),
    )
    return chosen.order_by(*in_raters_order())


def _held() -> Select[Any]:
    mine = leases.join(pairs, pairs.c.pair_id == leases.c.pair_id)
    chosen: Select[Any] = select(leases.c.pair_id, leases.c.expires_at).select_from(mine)
    chosen = chosen.where(
        leases.c.rater_id == bindparam("rater"),
        leases.c.expires_at > bindparam("now"),
        pairs.c.open_slots > 0,
        free_slots() > 0,
        ~said_by_rater("skip"),
        ~flagged_by_rater(pairs.c.query_key),
    )
    skipped_last = case((said_by_rater(), 1), else_=0)
    return chosen.order_by(skipped_last, *in_raters_order()).limit(1)


def _skipped() -> Select[Any]:
    mine = current_judgments.join(pairs, pairs.c.pair_id == current_judgments.c.pair_id)
    chosen: Select[Any] = select(pairs.c.pair_id).select_from(mine)
    chosen = chosen.where(
        current_judgments.c.rater_id == bindparam("rater"),
        current_judgments.c.outcome == "skip",
        # Says nothing more, but leads to the small index of what was put off.
        current_judgments.c.outcome != literal_column("'grade'"),
        pairs.c.open_slots > 0,
        free_slots() > 0,
        ~flagged_by_rater(pairs.c.query_key),
    )
    return chosen.order_by(current_judgments.c.judgment_id).limit(1)


def _is_open() -> Select[Any]:
    chosen: Select[Any] = select(pairs.c.pair_id)
    return chosen.where(
        pairs.c.pair_id == bindparam("pair"),
        pairs.c.open_slots > 0,
        free_slots() > 0,
        ~said_by_rater("skip"),
        ~flagged_by_rater(pairs.c.query_key),
    )


def _latest() -> Select[Any]:
    """What the rater pressed last; imports and merged queries write rows nobody pressed."""
    lately = select(judgments.c.judgment_id, judgments.c.pair_id, judgments.c.recorded_at)
    lately = lately.add_columns(judgments.c.token).where(judgments.c.rater_id == bindparam("rater"))
    recent = lately.order_by(judgments.c.judgment_id.desc()).limit(RECENT).subquery()
    joined = recent.join(pairs, pairs.c.pair_id == recent.c.pair_id)
    chosen: Select[Any] = select(pairs.c.query_key, recent.c.recorded_at).select_from(joined)
    pressed = ~recent.c.token.startswith(IMPORTED, autoescape=True)
    return chosen.where(pressed).order_by(recent.c.judgment_id.desc()).limit(1)


def _latest_outcome() -> Select[Any]:
    chosen: Select[Any] = select(query_outcomes.c.query_key, query_outcomes.c.recorded_at)
    chosen = chosen.where(query_outcomes.c.rater_id == bindparam("rater"))
    return chosen.order_by(query_outcomes.c.outcome_id.desc()).limit(1)


def _touched() -> tuple[Select[Any], ...]:
    judged = judgments.join(pairs, pairs.c.pair_id == judgments.c.pair_id)
    since_judgment: Select[Any] = select(pairs.c.query_key).select_from(judged)
    since_pair: Select[Any] = select(pairs.c.query_key)
    since_outcome: Select[Any] = select(query_outcomes.c.query_key)
    return (
        since_judgment.where(judgments.c.judgment_id > bindparam("judgment")),
        since_pair.where(pairs.c.pair_id > bindparam("pair")),
        since_outcome.where(query_outcomes.c.outcome_id > bindparam("outcome")),
    )


_FIRST_QUERY = _first()
_FIRST_TAGGED = _first_tagged()
_OPEN_PAIRS = _open_pairs()
_OPEN_TAGGED = _open_pairs().where(tagged(pairs.c.query_key))
_LEASABLE = _leasable()
_HELD = _held()
_HELD_TAGGED = _held().where(tagged(pairs.c.query_key))
_SKIPPED = _skipped()
_SKIPPED_TAGGED = _skipped().where(tagged(pairs.c.query_key))
_IS_OPEN = _is_open()
_LATEST = _latest()
_LATEST_OUTCOME = _latest_outcome()
_TOUCHED = _touched()
_NEWEST = (
    select(func.max(judgments.c.judgment_id)),
    select(func.max(pairs.c.pair_id)),
    select(func.max(query_outcomes.c.outcome_id)),
)
