"""The pool in the store: which pairs of query and document are to be judged, and who named them."""

from collections.abc import Iterable, Sequence
from itertools import repeat

from sqlalchemy import (
    Connection,
    Insert,
    Integer,
    String,
    bindparam,
    case,
    exists,
    func,
    insert,
    select,
    tuple_,
)

from builder.store.batches import batches
from builder.store.documents import document_keys
from builder.store.moments import now_text
from builder.store.queries import query_keys
from builder.store.quota import only_synthetic, settle_new_pairs
from builder.store.rules import rule_value, set_rule_value
from builder.store.schema import documents, pair_sources, pairs, queries

BATCH = 1000

Pair = tuple[str, str]
"""(query_id, doc_id)"""

_REMOVED = "removed_pairs"


def add_pairs(
    connection: Connection,
    new: Iterable[Pair],
    source: str,
    ranks: Iterable[int | None] | None = None,
) -> int:
    """Put pairs into the pool and note that `source` named them; how many were not there before.

    Args:
        connection: Inside a writing transaction.
        new: (query_id, doc_id); repeats and known pairs are harmless.
        source: Who names them: bm25, import, clicks, …
        ranks: For each pair its 1-based rank in the source; the first rank noted stays.

    Raises:
        LookupError: A query or a document is unknown.
    """
    ranked = zip(new, repeat(None) if ranks is None else ranks, strict=ranks is not None)
    added = 0
    for batch in batches(ranked, BATCH):
        known = pair_keys(connection, [pair for pair, _ in batch])
        added += insert_pairs(connection, known)
        rows = [
            {"q": q, "d": d, "source_name": source, "source_rank": rank}
            for (q, d), (_, rank) in zip(known, batch, strict=True)
        ]
        connection.execute(_ADD_SOURCE, rows)
    settle_new_pairs(connection)
    return added


def insert_pairs(connection: Connection, keys: Sequence[tuple[int, int]]) -> int:
    """Make the pairs of these (query_key, doc_key) that are not there; how many.

    Who calls it notes who named them, and settles their quota at the end.
    """
    first, moment = next_pair_id(connection), now_text()
    rows = [{"q": q, "d": d, "moment": moment, "first": first} for q, d in keys]
    return connection.execute(_ADD_PAIR if first is None else _ADD_PAIR_BEYOND, rows).rowcount


def last_pair_id(connection: Connection) -> int:
    """The greatest pair_id in the pool; 0 where it is empty."""
    return connection.execute(select(func.max(pairs.c.pair_id))).scalar_one() or 0


def next_pair_id(connection: Connection) -> int | None:
    """From which pair_id on new pairs are numbered; None where the database does so by itself.

    No pair_id is ever given twice: a rater may have a removed pair on screen still, and queues see
    by the ids which pairs are new. SQLite gives the greatest one again once its row is gone.
    """
    removed = int(rule_value(connection, _REMOVED) or 0)
    return removed + 1 if removed > last_pair_id(connection) else None


def note_removed(connection: Connection, pair_id: int) -> None:
    """Remember that a pair of this pair_id was removed, inside the transaction that does it."""
    removed = max(pair_id, int(rule_value(connection, _REMOVED) or 0))
    set_rule_value(connection, _REMOVED, str(removed))


def pairs_outside(connection: Connection, asked: Sequence[Pair]) -> list[Pair]:
    """Those among `asked` (at most some thousand) that the pool does not hold, each once.

    What only synthesis named is outside for this: nobody is asked for it until others name it.
    """
    inside = select(queries.c.query_id, documents.c.doc_id)
    inside = inside.select_from(pairs.join(queries).join(documents)).where(~only_synthetic())
    inside = inside.where(tuple_(queries.c.query_id, documents.c.doc_id).in_(set(asked)))
    held = {(row.query_id, row.doc_id) for row in connection.execute(inside)}
    return [pair for pair in dict.fromkeys(asked) if pair not in held]


def count_pairs(connection: Connection) -> int:
    """How many pairs the pool holds."""
    return connection.execute(select(func.count()).select_from(pairs)).scalar_one()


def pool_by_source(connection: Connection) -> dict[str, int]:
    """Source -> how many pairs it named; a pair that two sources named counts for both."""
    counted = select(pair_sources.c.source, func.count().label("named"))
    counted = counted.group_by(pair_sources.c.source).order_by(pair_sources.c.source)
    return {row.source: row.named for row in connection.execute(counted)}


def pair_keys(connection: Connection, batch: Sequence[Pair]) -> list[tuple[int, int]]:
    """(query_key, doc_key) of each of these, at most some thousand.

    Raises:
        LookupError: A query or a document is unknown.
    """
    known_queries = query_keys(connection, list({query_id for query_id, _ in batch}))
    known_documents = document_keys(connection, list({doc_id for _, doc_id in batch}))
    for query_id, doc_id in batch:
        if query_id not in known_queries:
            raise LookupError(f"query {query_id!r} is unknown")
        if doc_id not in known_documents:
            raise LookupError(f"document {doc_id!r} is unknown")
    return [(known_queries[query_id], known_documents[doc_id]) for query_id, doc_id in batch]


_QUERY = bindparam("q", type_=Integer)
_DOCUMENT = bindparam("d", type_=Integer)
_MOMENT = bindparam("moment", type_=String)
_FIRST = bindparam("first", type_=Integer)
_SOURCE = bindparam("source_name", type_=String)
_RANK = bindparam("source_rank", type_=Integer)


def _add_pair(*, beyond: bool) -> Insert:
    same = (pairs.c.query_key == _QUERY) & (pairs.c.doc_key == _DOCUMENT)
    new = select(_QUERY, _DOCUMENT, _MOMENT).where(~exists().where(same))
    columns = ["query_key", "doc_key", "created_at"]
    if beyond:
        last = select(func.coalesce(func.max(pairs.c.pair_id), 0)).scalar_subquery()
        new = new.add_columns(case((last < _FIRST, _FIRST), else_=last + 1))
        columns.append("pair_id")
    return insert(pairs).from_select(columns, new)


def _add_source() -> Insert:
    noted = exists().where(
        (pair_sources.c.pair_id == pairs.c.pair_id) & (pair_sources.c.source == _SOURCE)
    )
    new = select(pairs.c.pair_id, _SOURCE, _RANK)
    new = new.where(pairs.c.query_key == _QUERY, pairs.c.doc_key == _DOCUMENT, ~noted)
    return insert(pair_sources).from_select(["pair_id", "source", "rank"], new)


_ADD_PAIR = _add_pair(beyond=False)
_ADD_PAIR_BEYOND = _add_pair(beyond=True)
_ADD_SOURCE = _add_source()
