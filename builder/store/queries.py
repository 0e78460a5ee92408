"""The queries in the store."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from builder.store.batches import batches
from builder.store.moments import now_text
from builder.store.schema import queries
from evals.records import Query

BATCH = 1000


def query_row(query: Query, created_at: str) -> dict[str, Any]:
    """The query as a row of the table `queries`."""
    return {
        "query_id": query.query_id,
        "text": query.text,
        "need": query.need,
        "tags": json.dumps(list(query.tags), ensure_ascii=False),
        "source": query.source,
        "created_at": created_at,
    }


def insert_queries(connection: Connection, new: Iterable[Query]) -> int:
    """Write queries whose ids are all unknown; how many.

    Raises:
        sqlalchemy.exc.IntegrityError: An id is known already.
    """
    created_at = now_text()
    rows = (query_row(query, created_at) for query in new)
    written = 0
    for batch in batches(rows, BATCH):
        connection.execute(insert(queries), batch)
        written += len(batch)
    return written


def query_keys(connection: Connection, query_ids: Sequence[str]) -> dict[str, int]:
    """query_id -> the store's key, of those among `query_ids` (some thousand) that exist."""
    chosen = select(queries.c.query_id, queries.c.query_key)
    chosen = chosen.where(queries.c.query_id.in_(query_ids))
    return {row.query_id: row.query_key for row in connection.execute(chosen)}


def get_query(connection: Connection, query_id: str) -> Query | None:
    """The query of this id, or None."""
    row = connection.execute(select(queries).where(queries.c.query_id == query_id)).one_or_none()
    return None if row is None else _query(row)


def iterate_queries(connection: Connection) -> Iterator[Query]:
    """All queries in the order in which they came; memory stays flat."""
    every = select(queries).order_by(queries.c.query_key)
    for row in connection.execute(every, execution_options={"yield_per": BATCH}):
        yield _query(row)


def all_query_ids(connection: Connection) -> Iterator[tuple[int, str]]:
    """(query_key, query_id) of each query, retired ones too; memory stays flat."""
    every = select(queries.c.query_key, queries.c.query_id)
    for row in connection.execute(every, execution_options={"yield_per": BATCH}):
        yield row.query_key, row.query_id


def count_queries(connection: Connection) -> int:
    """How many queries there are."""
    return connection.execute(select(func.count()).select_from(queries)).scalar_one()


def _query(row: Row[tuple[object, ...]]) -> Query:
    return Query(row.query_id, row.text, row.need, tuple(json.loads(row.tags)), row.source)
