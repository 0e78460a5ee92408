"""How many grades each pair wants: the workspace's rule, and what closes or opens pairs again.

`pairs.open_slots` is what the queue reads. Whatever it follows from is changed through this module
or `current`, which keep it in the same transaction: the quota, grades, people who cannot judge,
the state of the query, and who named the pair.

A pair that only a language model's synthesis named has quota 0: nobody is asked for it. Once any
other source names it, it is a pair like others; once that is taken back, it is not.
"""

import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Update,
    and_,
    bindparam,
    case,
    cast,
    exists,
    func,
    literal_column,
    select,
    update,
)

from builder.store.rules import rule_value, set_rule_value
from builder.store.schema import pair_sources, pairs, queries

__all__ = [
    "FIRST_PATIENCE",
    "SYNTHETIC",
    "QuotaRule",
    "applied_rule",
    "apply_rule",
    "ask_again",
    "asks_nobody",
    "asks_people",
    "content_mark",
    "is_complete",
    "needs_rule",
    "note_change",
    "note_other_content",
    "only_synthetic",
    "open_slots",
    "queue_changes",
    "refresh_open_slots",
    "refresh_open_slots_of_query",
    "refresh_query",
    "set_query_priority",
    "set_query_state",
    "settle_new_pairs",
    "settle_sources",
]

FIRST_PATIENCE = 2
"""After so many people who cannot judge a pair an analyst decides."""

SYNTHETIC = "synthetic"
"""The source of what a language model wrote: queries, and the documents that they came from."""

# It stands in the statement itself: so it leads to the small index of such pairs.
_SYNTHETIC: ColumnElement[str] = literal_column(f"'{SYNTHETIC}'")
_PRIME = 2**31 - 1
_FACTORS = (1_103_515_245, 1_664_525)
_QUOTA, _CHANGES, _CONTENT = "quota", "queue_changes", "content"


@dataclass(frozen=True, slots=True)
class QuotaRule:
    """How many people grade each pair.

    Attributes:
        raters_per_pair: So many grade the pairs that overlap.
        overlap_share: The share of pairs, 0 to 1, that overlap; one person grades each other pair.
    """

    raters_per_pair: int
    overlap_share: float


def applied_rule(connection: Connection) -> QuotaRule | None:
    """The rule that was applied last; None before the first one."""
    value = rule_value(connection, _QUOTA)
    return None if value is None else QuotaRule(**json.loads(value))


def needs_rule(connection: Connection, rule: QuotaRule) -> bool:
    """Whether `apply_rule` would change anything; quick, whatever the size of the pool."""
    if applied_rule(connection) != rule:
        return True
    unsettled = select(pairs.c.pair_id).where(pairs.c.quota.is_(None)).limit(1)
    return connection.execute(unsettled).first() is not None


def apply_rule(connection: Connection, rule: QuotaRule) -> int:
    """Give all pairs the quota that the rule says; how many got another one.

    Which pairs overlap follows from query and document alone, so that the same ones do whatever
    else is in the pool, and a greater share adds pairs and takes none away.

    Args:
        connection: Inside a writing transaction.
        rule: The workspace's rule; it holds for pairs that join later, too.
    """
    set_rule_value(connection, _QUOTA, json.dumps(asdict(rule)))
    changed = _settled(rule).where(pairs.c.quota.is_(None) | (pairs.c.quota != _quota(rule)))
    note_change(connection)
    return connection.execute(changed).rowcount


def settle_new_pairs(connection: Connection) -> None:
    """Give the pairs that were just added their quota, priority and open slots.

    Without any rule yet they wait for the first one.

    Args:
        connection: Inside the writing transaction that added them and noted who named them.
    """
    rule = applied_rule(connection)
    if rule is not None:
        connection.execute(_settled(rule).where(pairs.c.quota.is_(None)))
        settle_sources(connection)


def settle_sources(connection: Connection) -> None:
    """Give pairs that synthesis named the quota that follows from who else names them now.

    Args:
        connection: Inside the writing transaction that noted sources of pairs, or took some away.
    """
    rule = applied_rule(connection)
    if rule is None:
        return
    changed = _settled(rule).where(_named_by_synthesis(), pairs.c.quota != _quota(rule))
    if connection.execute(changed).rowcount:
        note_change(connection)


def only_synthetic() -> ColumnElement[bool]:
    """Whether nothing but synthesis named the pair in hand."""
    others = pair_sources.alias("others")
    other = exists().where(others.c.pair_id == pairs.c.pair_id, others.c.source != SYNTHETIC)
    return and_(_named_by_synthesis(), ~other.correlate(pairs))


def asks_people() -> ColumnElement[bool]:
    """Whether the pair in hand shall get any grade, or has no quota yet."""
    return func.coalesce(pairs.c.quota, 1) > 0


def asks_nobody() -> ColumnElement[bool]:
    """As `asks_people`, the other way round; written so that it leads to the few such pairs."""
    return and_(_named_by_synthesis(), pairs.c.quota == 0)


def is_complete(
    unsettled: ColumnElement[int] | int | None = None,
) -> ColumnElement[bool]:
    """Whether the pair in hand has as many grades as it shall get, and shall get any.

    Args:
        unsettled: The quota of pairs that have none yet; None: such a pair is not complete.
    """
    quota = pairs.c.quota if unsettled is None else func.coalesce(pairs.c.quota, unsettled)
    return and_(quota > 0, pairs.c.human_grades >= quota)


def refresh_open_slots(connection: Connection, pair_ids: Iterable[int]) -> None:
    """Work out anew how many grades these pairs want."""
    asked = [{"p": pair_id} for pair_id in pair_ids]
    if asked:
        connection.execute(_REFRESH_PAIR, asked)


def set_query_state(
    connection: Connection,
    query_key: int,
    *,
    status: str | None = None,
    set_aside: bool | None = None,
) -> None:
    """Retire a query or take it back, set it aside or ask for it again; its pairs follow.

    Args:
        connection: Inside a writing transaction.
        query_key: The query.
        status: active or retired; None: as it is.
        set_aside: Whether it waits for an analyst; None: as it is.
    """
    values: dict[str, str | int] = {}
    if status is not None:
        values["status"] = status
    if set_aside is not None:
        values["set_aside"] = int(set_aside)
    if values:
        changed = update(queries).where(queries.c.query_key == query_key).values(values)
        connection.execute(changed)
        refresh_query(connection, query_key)


def refresh_query(connection: Connection, query_key: int) -> None:
    """Work out anew how many grades the pairs of this query want, and tell the queues."""
    refresh_open_slots_of_query(connection, query_key)
    note_change(connection)


def refresh_open_slots_of_query(connection: Connection, query_key: int) -> None:
    """Work out anew how many grades the pairs of this query want."""
    connection.execute(_REFRESH_QUERY, {"q": query_key})


def set_query_priority(connection: Connection, query_key: int, priority: int) -> None:
    """Let the query and its pairs come later (0), as they come (1) or first (2).

    Args:
        connection: Inside a writing transaction.
        query_key: The query.
        priority: 0, 1 or 2.

    Raises:
        sqlalchemy.exc.IntegrityError: Another priority.
    """
    for table in (queries, pairs):
        mine = update(table).where(table.c.query_key == query_key)
        connection.execute(mine.values(priority=priority))
    note_change(connection)


def ask_again(connection: Connection, pair_id: int) -> None:
    """Ask up to two more people for a pair that others cannot judge.

    Args:
        connection: Inside a writing transaction.
        pair_id: The pair.
    """
    more = update(pairs).where(pairs.c.pair_id == pair_id)
    connection.execute(more.values(patience=pairs.c.patience + FIRST_PATIENCE))
    refresh_open_slots(connection, [pair_id])
    note_change(connection)


def queue_changes(connection: Connection) -> int:
    """A number that grows whenever pairs may have opened for a reason that is no judgment."""
    return int(rule_value(connection, _CHANGES) or 0)


def note_change(connection: Connection) -> None:
    """Tell the queues that pairs may have opened, or queries' tags changed.

    Judgments and new pairs need no note: the queues see them.

    Args:
        connection: Inside the writing transaction that changed something.
    """
    set_rule_value(connection, _CHANGES, str(queue_changes(connection) + 1))


def note_other_content(connection: Connection) -> None:
    """Tell queues and open pages that the whole content is another one, as after a restore.

    The number of changes becomes one that no content ever had: it is made of the time.

    Args:
        connection: Inside the writing transaction that prepares the content.
    """
    now = str(time.time_ns())
    set_rule_value(connection, _CHANGES, now)
    set_rule_value(connection, _CONTENT, now)


def content_mark(connection: Connection) -> str:
    """Another text after each restore; "" where there was none."""
    return rule_value(connection, _CONTENT) or ""


def _quota(rule: QuotaRule) -> ColumnElement[int]:
    """The quota of a pair, from a number in [0, prime) that mixes its two keys well.

    What it wants beyond the rule, `pairs.extra`, comes on top.
    """
    query, document = (cast(column, BigInteger) for column in (pairs.c.query_key, pairs.c.doc_key))
    mixed = (query * _FACTORS[0] + document * _FACTORS[1]) % _PRIME
    overlaps = mixed * mixed % _PRIME < int(rule.overlap_share * _PRIME)
    people = case((only_synthetic(), 0), (overlaps, rule.raters_per_pair), else_=1)
    return people + pairs.c.extra


def _named_by_synthesis() -> ColumnElement[bool]:
    named = select(pair_sources.c.pair_id).where(pair_sources.c.source == _SYNTHETIC)
    return pairs.c.pair_id.in_(named)


def open_slots(
    quota: ColumnElement[int] | Column[int | None] = pairs.c.quota,
    grades: ColumnElement[int] = pairs.c.human_grades,
) -> ColumnElement[int]:
    """How many more grades a pair of this quota wants that has so many; at least 0."""
    asked = exists().where(
        queries.c.query_key == pairs.c.query_key,
        queries.c.status == "active",
        queries.c.set_aside == 0,
    )
    wants = (grades < quota) & (pairs.c.cannot_judges < pairs.c.patience) & asked
    return case((wants, quota - grades), else_=0)


def _settled(rule: QuotaRule) -> Update:
    quota = _quota(rule)
    of_query = select(queries.c.priority).where(queries.c.query_key == pairs.c.query_key)
    priority = case((pairs.c.quota.is_(None), of_query.scalar_subquery()), else_=pairs.c.priority)
    return update(pairs).values(quota=quota, open_slots=open_slots(quota), priority=priority)


def _refresh(mine: ColumnElement[bool]) -> Update:
    return update(pairs).where(mine).values(open_slots=open_slots())


_REFRESH_PAIR = _refresh(pairs.c.pair_id == bindparam("p"))
_REFRESH_QUERY = _refresh(pairs.c.query_key == bindparam("q"))
