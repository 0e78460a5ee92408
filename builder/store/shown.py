"""What is shown of a pair: the query, the document, and what the rater has said; nothing else."""

import json
from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, bindparam, select

from builder.store.current import effective_time
from builder.store.queue import Seeker, in_raters_order
from builder.store.schema import current_judgments, documents, judgments, pairs, queries
from evals.records import Document, Query


class Shown(NamedTuple):
    """One pair.

    Attributes:
        pair_id: The pair.
        query_key: The store's key of the query.
        query: The query; where it came from is not said.
        document: The document.
    """

    pair_id: int
    query_key: int
    query: Query
    document: Document


def shown_pair(connection: Connection, pair_id: int) -> Shown | None:
    """Query and document of a pair; None if it is unknown."""
    row = connection.execute(_SHOWN, {"pair": pair_id}).one_or_none()
    return None if row is None else _shown(row)


def shown_pairs(connection: Connection, seeker: Seeker, query_key: int) -> list[Shown]:
    """All pairs of a query, in the rater's own stable order."""
    asked = seeker.bound(query_key=query_key)
    return [_shown(row) for row in connection.execute(_OF_QUERY, asked)]


def own_words(
    connection: Connection, rater_id: int, pair_ids: Collection[int]
) -> dict[int, Row[Any]]:
    """What the rater says now of these pairs, where the rater says anything.

    Returns:
        pair_id -> judgment_id, outcome, grade, comment, reason, moment.
    """
    asked = {"rater": rater_id, "asked": list(pair_ids)}
    return {row.pair_id: row for row in connection.execute(_OWN, asked)}


def query_key_of(connection: Connection, query_id: str) -> int | None:
    """The store's key of a query; None if it is unknown."""
    chosen = select(queries.c.query_key).where(queries.c.query_id == query_id)
    return connection.execute(chosen).scalar_one_or_none()


def query_id_of(connection: Connection, query_key: int) -> str:
    """The id of a known query."""
    chosen = select(queries.c.query_id).where(queries.c.query_key == query_key)
    return str(connection.execute(chosen).scalar_one())


def _shown(row: Row[Any]) -> Shown:
    query = Query(row.query_id, row.query_text, row.need, tuple(json.loads(row.tags)), source="")
    document = Document(row.doc_id, row.title, row.text, json.loads(row.metadata))
    return Shown(row.pair_id, row.query_key, query, document)


def _contents() -> Select[Any]:
    joined = pairs.join(queries, queries.c.query_key == pairs.c.query_key)
    joined = joined.join(documents, documents.c.doc_key == pairs.c.doc_key)
    columns = (
        pairs.c.pair_id,
        pairs.c.query_key,
        queries.c.query_id,
        queries.c.text.label("query_text"),
        queries.c.need,
        queries.c.tags,
        documents.c.doc_id,
        documents.c.title,
        documents.c.text,
        documents.c.metadata,
    )
    chosen: Select[Any] = select(*columns).select_from(joined)
    return chosen


def _own() -> Select[Any]:
    joined = current_judgments.join(
        judgments, judgments.c.judgment_id == current_judgments.c.judgment_id
    )
    names = ("pair_id", "judgment_id", "outcome", "grade", "comment", "reason")
    columns = (judgments.c[name] for name in names)
    chosen: Select[Any] = select(*columns, effective_time().label("moment")).select_from(joined)
    return chosen.where(
        current_judgments.c.rater_id == bindparam("rater"),
        current_judgments.c.pair_id.in_(bindparam("asked", expanding=True)),
        current_judgments.c.outcome != "undone",
    )


_SHOWN = _contents().where(pairs.c.pair_id == bindparam("pair"))
_OF_QUERY = (
    _contents().where(pairs.c.query_key == bindparam("query_key")).order_by(*in_raters_order())
)
_OWN = _own()
