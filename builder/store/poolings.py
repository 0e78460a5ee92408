"""Fillings of the pool as records: who named which pair, and which pooling brought it.

A pooling owns what it was the first to bring: a pair (`new_pair`), or the row that says that a
source named it (`new_source`). Only poolings that stand have rows in `pooled_pairs`, and each of
those has its row in `pair_sources`. What is in the pool without an owner came some other way, from
an import or a rater, and no pooling takes it along.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    Insert,
    Integer,
    Select,
    String,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)

from builder.store.batches import batches
from builder.store.deeds import Deed, json_text, new_deed, read_deed
from builder.store.pool import BATCH, insert_pairs, last_pair_id, pair_keys
from builder.store.quota import settle_new_pairs
from builder.store.schema import pair_sources, pairs, pooled_pairs, poolings


class NamedPair(NamedTuple):
    """That a source names a document for a query.

    Attributes:
        query_id: A known query.
        doc_id: A document of the corpus.
        source: Who names it: bm25, run:NAME, clicks, holes, …; at most 64 characters.
        rank: Its 1-based rank there; None where there is none.
    """

    query_id: str
    doc_id: str
    source: str
    rank: int | None


class Brought(NamedTuple):
    """What a pooling has in the pool.

    Attributes:
        new: Pairs that it was the first to bring.
        known: Pairs that it named and that were there before.
        by_source: Source -> pairs that it named, new or not.
        new_sources: Of these, pairs that the source had not named before.
    """

    new: int
    known: int
    by_source: dict[str, int]
    new_sources: int


@dataclass(frozen=True, slots=True)
class PoolingRow(Deed):
    """One record, with how many of its pairs are in the pool and have a person's grade.

    `pairs` and `graded` count all that it named, `new` and `new_graded` what it brought.
    """

    pooling_id: int
    pairs: int
    graded: int
    new: int
    new_graded: int


def add_pooling(connection: Connection, parameters: Mapping[str, Any], actor: str) -> int:
    """Begin a record, inside the transaction that fills the pool; its pooling_id."""
    row = new_deed(parameters, {}, actor)
    made = insert(poolings).values(row).returning(poolings.c.pooling_id)
    return int(connection.execute(made).scalar_one())


def name_pairs(connection: Connection, pooling_id: int, named: Iterable[NamedPair]) -> Brought:
    """Put pairs into the pool and note who named them and what of it is new.

    Args:
        connection: Inside a writing transaction.
        pooling_id: The record that this transaction began.
        named: Repeats are harmless; of a pair and source the first rank stays.

    Raises:
        LookupError: A query or a document is unknown.
    """
    before = last_pair_id(connection)
    for batch in batches(named, BATCH):
        keys = pair_keys(connection, [(one.query_id, one.doc_id) for one in batch])
        insert_pairs(connection, keys)
        mine = {"pooling": pooling_id, "before": before}
        rows = [
            {**mine, "q": q, "d": d, "source_name": one.source, "source_rank": one.rank}
            for (q, d), one in zip(keys, batch, strict=True)
        ]
        connection.execute(_NAME, rows)
    connection.execute(_NOTE_SOURCES, {"pooling": pooling_id})
    settle_new_pairs(connection)
    return brought(connection, pooling_id)


def brought(connection: Connection, pooling_id: int) -> Brought:
    """What the pooling has in the pool now."""
    mine = pooled_pairs.c.pooling_id == pooling_id
    counted = select(pooled_pairs.c.new_pair, func.count(pooled_pairs.c.pair_id.distinct()))
    counted = counted.where(mine).group_by(pooled_pairs.c.new_pair)
    by_newness = {row[0]: row[1] for row in connection.execute(counted)}
    new_sources = func.sum(pooled_pairs.c.new_source)
    named = select(pooled_pairs.c.source, func.count(), new_sources).where(mine)
    named = named.group_by(pooled_pairs.c.source).order_by(pooled_pairs.c.source)
    rows = connection.execute(named).all()
    by_source = {row[0]: row[1] for row in rows}
    return Brought(
        by_newness.get(1, 0), by_newness.get(0, 0), by_source, sum(row[2] for row in rows)
    )


def drop_pooling(connection: Connection, pooling_id: int) -> None:
    """Forget a record that brought nothing, inside the transaction that began it."""
    for table in (pooled_pairs, poolings):
        connection.execute(delete(table).where(table.c.pooling_id == pooling_id))


def keep_outcome(connection: Connection, pooling_id: int, outcome: Mapping[str, Any]) -> None:
    """Write what came of the pooling into its record."""
    mine = update(poolings).where(poolings.c.pooling_id == pooling_id)
    connection.execute(mine.values(outcome=json_text(dict(outcome))))


def pooling_rows(connection: Connection) -> list[PoolingRow]:
    """All records, newest first."""
    return [read_deed(PoolingRow, row) for row in connection.execute(_records())]


def pooling_row(connection: Connection, pooling_id: int) -> PoolingRow | None:
    """The record of this id; None if there is none."""
    chosen = _records().where(poolings.c.pooling_id == pooling_id)
    row = connection.execute(chosen).one_or_none()
    return None if row is None else read_deed(PoolingRow, row)


def pooling_stands(connection: Connection, pooling_id: int) -> bool:
    """Whether there is such a record that was not taken back."""
    chosen = select(poolings.c.pooling_id).where(
        poolings.c.pooling_id == pooling_id, poolings.c.taken_back_at.is_(None)
    )
    return connection.execute(chosen).first() is not None


def latest_filling_moment(connection: Connection) -> str | None:
    """When the pool was last filled or a filling taken back, ISO 8601 in UTC; None if never."""
    latest = select(func.max(poolings.c.created_at), func.max(poolings.c.taken_back_at))
    return max(filter(None, connection.execute(latest).one()), default=None)


def _records() -> Select[Any]:
    is_graded, is_new = pairs.c.human_grades > 0, pooled_pairs.c.new_pair == 1
    counted: Select[Any] = select(
        pooled_pairs.c.pooling_id,
        func.count(pooled_pairs.c.pair_id.distinct()).label("n"),
        *(
            func.count(case((which, pooled_pairs.c.pair_id)).distinct()).label(name)
            for name, which in (("g", is_graded), ("new", is_new), ("new_g", is_graded & is_new))
        ),
    )
    counted = counted.select_from(pooled_pairs.join(pairs)).group_by(pooled_pairs.c.pooling_id)
    of_pooling = counted.subquery()
    columns: Sequence[Any] = (
        *(poolings.c.pooling_id, poolings.c.created_at, poolings.c.created_by),
        *(poolings.c.parameters, poolings.c.outcome),
        *(poolings.c.taken_back_at, poolings.c.taken_back_by),
        func.coalesce(of_pooling.c.n, 0).label("pairs"),
        func.coalesce(of_pooling.c.g, 0).label("graded"),
        func.coalesce(of_pooling.c.new, 0).label("new"),
        func.coalesce(of_pooling.c.new_g, 0).label("new_graded"),
    )
    beside = of_pooling.c.pooling_id == poolings.c.pooling_id
    chosen: Select[Any] = select(*columns).select_from(poolings.outerjoin(of_pooling, beside))
    return chosen.order_by(poolings.c.pooling_id.desc())


_POOLING = bindparam("pooling", type_=Integer)
_SOURCE = bindparam("source_name", type_=String)
_RANK = bindparam("source_rank", type_=Integer)


def _name() -> Insert:
    noted = exists().where(
        pair_sources.c.pair_id == pairs.c.pair_id, pair_sources.c.source == _SOURCE
    )
    again = exists().where(
        pooled_pairs.c.pooling_id == _POOLING,
        pooled_pairs.c.pair_id == pairs.c.pair_id,
        pooled_pairs.c.source == _SOURCE,
    )
    new_pair = case((pairs.c.pair_id > bindparam("before", type_=Integer), 1), else_=0)
    new = select(_POOLING, pairs.c.pair_id, _SOURCE, _RANK, new_pair, case((noted, 0), else_=1))
    asked = (pairs.c.query_key == bindparam("q")) & (pairs.c.doc_key == bindparam("d"))
    columns = ["pooling_id", "pair_id", "source", "rank", "new_pair", "new_source"]
    return insert(pooled_pairs).from_select(columns, new.where(asked, ~again))


def _note_sources() -> Insert:
    new = select(pooled_pairs.c.pair_id, pooled_pairs.c.source, pooled_pairs.c.rank)
    new = new.where(pooled_pairs.c.pooling_id == _POOLING, pooled_pairs.c.new_source == 1)
    return insert(pair_sources).from_select(["pair_id", "source", "rank"], new)


_NAME = _name()
_NOTE_SOURCES = _note_sources()
