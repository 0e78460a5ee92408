"""Which queries there are to ask about, and what of them the pool holds already."""

from collections import defaultdict
from collections.abc import Iterable

from sqlalchemy import Connection, exists, select

from builder.store.batches import batches
from builder.store.quota import asks_nobody, asks_people
from builder.store.schema import documents, pairs, queries

BATCH = 500


def askable_queries(connection: Connection, query_ids: Iterable[str]) -> dict[str, bool]:
    """query_id -> whether raters are asked about it: not where it is retired; unknown ones lack."""
    found: dict[str, bool] = {}
    columns = select(queries.c.query_id, queries.c.status)
    for batch in batches(query_ids, BATCH):
        rows = connection.execute(columns.where(queries.c.query_id.in_(batch)))
        found.update((row.query_id, row.status == "active") for row in rows)
    return found


def pooled_documents(
    connection: Connection, query_ids: Iterable[str], *, asked_only: bool = False
) -> dict[str, dict[str, int]]:
    """query_id -> doc_id -> how many more grades the pair wants, of all pairs in the pool.

    Args:
        connection: Inside a transaction.
        query_ids: Of these queries.
        asked_only: Without pairs that only synthesis named: nobody was ever asked for them.
    """
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    columns = select(queries.c.query_id, documents.c.doc_id, pairs.c.open_slots)
    joined = columns.select_from(pairs.join(queries).join(documents))
    if asked_only:
        joined = joined.where(asks_people())
    for batch in batches(query_ids, BATCH):
        for row in connection.execute(joined.where(queries.c.query_id.in_(batch))):
            found[row.query_id][row.doc_id] = row.open_slots
    return dict(found)


def unasked_documents(connection: Connection) -> dict[str, set[str]]:
    """query_id -> documents that only synthesis named and that no person has graded.

    Raters are asked for them as soon as any other source names them.
    """
    found: defaultdict[str, set[str]] = defaultdict(set)
    chosen = select(queries.c.query_id, documents.c.doc_id)
    chosen = chosen.select_from(pairs.join(queries).join(documents))
    for row in connection.execute(chosen.where(asks_nobody(), pairs.c.human_grades == 0)):
        found[row.query_id].add(row.doc_id)
    return dict(found)


def pooled_queries(connection: Connection) -> set[str]:
    """The query_ids of the queries that have any pair that people are asked for."""
    has_pair = exists().where(pairs.c.query_key == queries.c.query_key, asks_people())
    return set(connection.execute(select(queries.c.query_id).where(has_pair)).scalars())


def known_query_ids(connection: Connection) -> dict[str, str]:
    """query_id -> active or retired, of all queries."""
    chosen = select(queries.c.query_id, queries.c.status)
    return {row.query_id: row.status for row in connection.execute(chosen)}
