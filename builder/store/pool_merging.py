"""Lets poolings follow a query that is merged into another one.

What a pooling brought for the merged query it has brought for the query that stays: taken back, it
takes the copies along. What came some other way has no owner there either.
"""

from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, bindparam, exists, insert, select, update

from builder.store.schema import pair_sources, pairs, pooled_pairs


class Held(NamedTuple):
    """What a query has in the pool.

    Attributes:
        pairs: Its pair_ids.
        sources: (pair_id, source) of who named them.
    """

    pairs: frozenset[int]
    sources: frozenset[tuple[int, str]]


def held_by(connection: Connection, query_key: int) -> Held:
    """What the query has in the pool now."""
    named = pairs.outerjoin(pair_sources, pair_sources.c.pair_id == pairs.c.pair_id)
    chosen = select(pairs.c.pair_id, pair_sources.c.source).select_from(named)
    rows = connection.execute(chosen.where(pairs.c.query_key == query_key)).all()
    sources = frozenset((row[0], row[1]) for row in rows if row[1] is not None)
    return Held(frozenset(row[0] for row in rows), sources)


def carry_poolings(connection: Connection, from_key: int, to_key: int, before: Held) -> None:
    """Let the poolings of the one query's pairs have named those of the other, too.

    Args:
        connection: Inside a writing transaction that copied the pairs and their sources.
        from_key: The query that is merged.
        to_key: The query that stays; it has a pair with each document of the first.
        before: What it had before the copying.
    """
    rows = [
        {
            "pooling_id": row.pooling_id,
            "pair_id": row.to_pair,
            "source": row.source,
            "rank": row.rank,
            "new_pair": 0 if row.to_pair in before.pairs else row.new_pair,
            "new_source": 0 if (row.to_pair, row.source) in before.sources else row.new_source,
        }
        for row in connection.execute(_going(from_key, to_key))
    ]
    if rows:
        connection.execute(insert(pooled_pairs), rows)
    free = [{"p": row[0], "s": row[1]} for row in connection.execute(_unowned(from_key, to_key))]
    if free:
        connection.execute(_DISOWN, free)


_MINE, _THEIRS = pairs.alias("mine"), pairs.alias("theirs")


def _going(from_key: int, to_key: int) -> Select[Any]:
    """The rows of `pooled_pairs` that have no like of the same pooling at the other query."""
    like = pooled_pairs.alias("like")
    known = exists().where(
        like.c.pooling_id == pooled_pairs.c.pooling_id,
        like.c.pair_id == _THEIRS.c.pair_id,
        like.c.source == pooled_pairs.c.source,
    )
    chosen: Select[Any] = select(pooled_pairs, _THEIRS.c.pair_id.label("to_pair"))
    joined = pooled_pairs.join(_MINE, _MINE.c.pair_id == pooled_pairs.c.pair_id)
    joined = joined.join(_THEIRS, _THEIRS.c.doc_key == _MINE.c.doc_key)
    chosen = chosen.select_from(joined)
    return chosen.where(_MINE.c.query_key == from_key, _THEIRS.c.query_key == to_key, ~known)


def _unowned(from_key: int, to_key: int) -> Select[Any]:
    """(pair of the other query, source) of what no pooling brought for the first."""
    owned = exists().where(
        pooled_pairs.c.pair_id == pair_sources.c.pair_id,
        pooled_pairs.c.source == pair_sources.c.source,
        pooled_pairs.c.new_source == 1,
    )
    chosen: Select[Any] = select(_THEIRS.c.pair_id, pair_sources.c.source)
    joined = pair_sources.join(_MINE, _MINE.c.pair_id == pair_sources.c.pair_id)
    joined = joined.join(_THEIRS, _THEIRS.c.doc_key == _MINE.c.doc_key)
    chosen = chosen.select_from(joined)
    return chosen.where(_MINE.c.query_key == from_key, _THEIRS.c.query_key == to_key, ~owned)


_DISOWN = (
    update(pooled_pairs)
    .where(pooled_pairs.c.pair_id == bindparam("p"), pooled_pairs.c.source == bindparam("s"))
    .values(new_source=0)
)
