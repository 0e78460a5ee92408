"""Takes a pooling out of the pool: what it owns goes, or to the next pooling that named it.

A pair that people touched stays as it is, with all that is known of who named it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Select,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    literal,
    null,
    select,
    update,
)

from builder.store.deeds import taken_back
from builder.store.moments import now_text
from builder.store.pool import note_removed
from builder.store.quota import SYNTHETIC, note_change, settle_sources
from builder.store.schema import (
    adjudications,
    judgments,
    leases,
    pair_sources,
    pairs,
    people,
    pooled_pairs,
    poolings,
    query_outcomes,
    rechecks,
)

TOUCHED = ("judged", "decided", "rechecked", "query_words")
"""Why a pair stays that people touched."""

THERE_BEFORE = "there_before"
"""Why a pair stays that the pooling named and did not bring."""


class _Fate(NamedTuple):
    """One pair of the pooling: whether it brought it, and what speaks for keeping it."""

    pair_id: int
    is_brought: bool
    touched: str | None
    heir: int | None
    has_other_source: bool

    @property
    def kept(self) -> str | None:
        """Why it stays; None where it goes."""
        if not self.is_brought:
            return THERE_BEFORE
        if self.touched is not None or self.heir is not None:
            return self.touched or "other_pooling"
        return "other_source" if self.has_other_source else None


class Removal(NamedTuple):
    """What taking a pooling back does.

    Attributes:
        removed: The pair_ids that go.
        kept: Reason -> pairs of the pooling that stay.
        sources: (pair_id, source) whose row goes, of pairs that stay.
        leases: How many of the removed pairs are on raters' screens at this moment.
    """

    removed: list[int]
    kept: dict[str, int]
    sources: list[tuple[int, str]]
    leases: int

    @property
    def kept_of_its_own(self) -> int:
        """How many of the pairs that the pooling brought stay."""
        return sum(n for reason, n in self.kept.items() if reason != THERE_BEFORE)


class _Owned(NamedTuple):
    """A row of `pair_sources` that the pooling owns, and who owns it next."""

    pair_id: int
    source: str
    heir: int | None


def plan_removal(connection: Connection, pooling_id: int) -> Removal:
    """What taking back a standing pooling would do at this moment."""
    fates = _fates(connection, pooling_id)
    return _removal(connection, fates, _untouched(fates, _owned(connection, pooling_id)))


def remove_pooling(connection: Connection, pooling_id: int, actor: str) -> Removal:
    """Take back a standing pooling, inside a writing transaction; what was done."""
    fates = _fates(connection, pooling_id)
    owned = _untouched(fates, _owned(connection, pooling_id))
    done = _removal(connection, fates, owned)
    _bequeath(connection, fates, owned)
    unowned = [row for row in owned if row.heir is None]
    _execute(connection, _NO_SOURCE, ({"p": row.pair_id, "s": row.source} for row in unowned))
    connection.execute(delete(pooled_pairs).where(pooled_pairs.c.pooling_id == pooling_id))
    for statement in (_NO_LEASES, _NO_PAIR):
        _execute(connection, statement, ({"p": pair_id} for pair_id in done.removed))
    if done.removed:
        note_removed(connection, max(done.removed))
    ended = update(poolings).where(poolings.c.pooling_id == pooling_id)
    connection.execute(ended.values(taken_back(actor)))
    settle_sources(connection)
    note_change(connection)
    return done


def _removal(connection: Connection, fates: Sequence[_Fate], owned: Sequence[_Owned]) -> Removal:
    removed = [fate.pair_id for fate in fates if fate.kept is None]
    kept = Counter(fate.kept for fate in fates if fate.kept is not None)
    going = set(removed)
    sources = [
        (row.pair_id, row.source) for row in owned if row.heir is None and row.pair_id not in going
    ]
    leased = connection.execute(_LEASED, {"now": now_text()}).scalars()
    return Removal(removed, dict(sorted(kept.items())), sources, len(going & set(leased)))


def _untouched(fates: Iterable[_Fate], owned: Iterable[_Owned]) -> list[_Owned]:
    """The rows of pairs that nobody has touched: those of others stay as they are."""
    touched = {fate.pair_id for fate in fates if fate.touched is not None}
    return [row for row in owned if row.pair_id not in touched]


def _bequeath(connection: Connection, fates: Sequence[_Fate], owned: Sequence[_Owned]) -> None:
    """Give what the pooling owns to the first of the others that named it, with its rank."""
    heirs = [{"p": row.pair_id, "s": row.source, "h": row.heir} for row in owned if row.heir]
    for statement in (_OWN_SOURCE, _OWN_RANK):
        _execute(connection, statement, heirs)
    brought = (fate for fate in fates if fate.is_brought and fate.touched is None and fate.heir)
    _execute(connection, _OWN_PAIR, ({"p": fate.pair_id, "h": fate.heir} for fate in brought))


def _execute(connection: Connection, statement: Any, rows: Iterable[Mapping[str, Any]]) -> None:
    if asked := [dict(row) for row in rows]:
        connection.execute(statement, asked)


def _fates(connection: Connection, pooling_id: int) -> list[_Fate]:
    rows = connection.execute(_FATES, {"pooling": pooling_id})
    return [_Fate(row[0], bool(row[1]), row[2], row[3], bool(row[4])) for row in rows]


def _owned(connection: Connection, pooling_id: int) -> list[_Owned]:
    return [_Owned(*row) for row in connection.execute(_OWNED, {"pooling": pooling_id})]


_POOLING = bindparam("pooling", type_=Integer)
_OTHER = pooled_pairs.alias("other")


def _touched() -> ColumnElement[str | None]:
    models = select(people.c.person_id).where(people.c.kind == SYNTHETIC)
    judged = exists().where(
        judgments.c.pair_id == pairs.c.pair_id, judgments.c.rater_id.not_in(models)
    )
    of_pair = (adjudications, rechecks)
    rows = [judged, *(exists().where(table.c.pair_id == pairs.c.pair_id) for table in of_pair)]
    rows.append(exists().where(query_outcomes.c.query_key == pairs.c.query_key))
    return case(*zip(rows, map(literal, TOUCHED), strict=True), else_=null())


def _select_fates() -> Select[Any]:
    heir = select(func.min(_OTHER.c.pooling_id)).where(
        _OTHER.c.pair_id == pairs.c.pair_id, _OTHER.c.pooling_id != _POOLING
    )
    owner = pooled_pairs.alias("owner")
    is_owned = exists().where(
        owner.c.pair_id == pair_sources.c.pair_id,
        owner.c.source == pair_sources.c.source,
        owner.c.new_source == 1,
    )
    unowned = exists().where(pair_sources.c.pair_id == pairs.c.pair_id, ~is_owned)
    mine = select(pooled_pairs.c.pair_id, func.max(pooled_pairs.c.new_pair).label("new"))
    mine = mine.where(pooled_pairs.c.pooling_id == _POOLING).group_by(pooled_pairs.c.pair_id)
    named = mine.subquery()
    chosen: Select[Any] = select(
        pairs.c.pair_id,
        named.c.new,
        _touched(),
        heir.scalar_subquery(),
        case((unowned, 1), else_=0),
    )
    joined = named.join(pairs, pairs.c.pair_id == named.c.pair_id)
    return chosen.select_from(joined).order_by(pairs.c.pair_id)


def _select_owned() -> Select[Any]:
    heir = select(func.min(_OTHER.c.pooling_id)).where(
        _OTHER.c.pair_id == pooled_pairs.c.pair_id,
        _OTHER.c.source == pooled_pairs.c.source,
        _OTHER.c.pooling_id != _POOLING,
    )
    columns = (pooled_pairs.c.pair_id, pooled_pairs.c.source, heir.scalar_subquery())
    chosen: Select[Any] = select(*columns)
    mine = and_(pooled_pairs.c.pooling_id == _POOLING, pooled_pairs.c.new_source == 1)
    return chosen.where(mine).order_by(pooled_pairs.c.pair_id, pooled_pairs.c.source)


_FATES, _OWNED = _select_fates(), _select_owned()
_LEASED = select(leases.c.pair_id).where(leases.c.expires_at > bindparam("now")).distinct()
_IS_HEIR = pooled_pairs.c.pooling_id == bindparam("h")
_OWN_SOURCE = (
    update(pooled_pairs)
    .where(_IS_HEIR, pooled_pairs.c.pair_id == bindparam("p"))
    .where(pooled_pairs.c.source == bindparam("s"))
    .values(new_source=1)
)
_OWN_PAIR = (
    update(pooled_pairs)
    .where(_IS_HEIR, pooled_pairs.c.pair_id == bindparam("p"))
    .values(new_pair=1)
)
_OWN_RANK = (
    update(pair_sources)
    .where(pair_sources.c.pair_id == bindparam("p"), pair_sources.c.source == bindparam("s"))
    .values(
        rank=select(pooled_pairs.c.rank)
        .where(_IS_HEIR, pooled_pairs.c.pair_id == bindparam("p"))
        .where(pooled_pairs.c.source == bindparam("s"))
        .scalar_subquery()
    )
)
_NO_SOURCE = delete(pair_sources).where(
    pair_sources.c.pair_id == bindparam("p"), pair_sources.c.source == bindparam("s")
)
_NO_LEASES = delete(leases).where(leases.c.pair_id == bindparam("p"))
_NO_PAIR = delete(pairs).where(pairs.c.pair_id == bindparam("p"))
