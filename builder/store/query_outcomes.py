"""What raters say of whole queries: that one is unclear, or out of scope; append-only.

Whoever says so sees no more of the query. When two say so it is set aside: nobody is asked any
more until an analyst has decided.
"""

from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, bindparam, func, insert, select, update

from builder.store.leases import release_query
from builder.store.quota import refresh_open_slots_of_query, refresh_query
from builder.store.schema import people, queries, query_outcomes

ENOUGH = 2
"""When so many people say that a query cannot be judged, nobody else is asked."""


class QueryOutcome(NamedTuple):
    """What one rater says of one query.

    Attributes:
        query_key: The query.
        rater_id: The rater's person_id.
        outcome: unclear or out_of_scope.
        reason: Why; untrusted text.
        token: Made once by whoever submits; the same token again changes nothing.
        recorded_at: When, as `moments.utc_text` writes it.
    """

    query_key: int
    rater_id: int
    outcome: str
    reason: str
    token: str
    recorded_at: str


class OwnOutcome(NamedTuple):
    """What a rater said last of one query.

    Attributes:
        query_id: The query.
        query: Its text; untrusted, as the reason.
        outcome: unclear or out_of_scope.
        reason: Why.
        moment: When, ISO 8601 in UTC.
        stands: Whether it still does; False where an analyst has decided since.
    """

    query_id: str
    query: str
    outcome: str
    reason: str
    moment: str
    stands: bool


def record_outcome(connection: Connection, said: QueryOutcome) -> None:
    """Write what the rater says; it stands from now on, in place of what the rater said before.

    Args:
        connection: Inside a writing transaction.
        said: What was submitted.

    Raises:
        ValueError: The token belongs to another query or rater.
    """
    first = outcome_of_token(connection, said.token)
    if first is not None:
        if (first.query_key, first.rater_id) != (said.query_key, said.rater_id):
            raise ValueError(f"token {said.token!r} belongs to another query or rater")
        return
    _end(connection, said.query_key, said.rater_id)
    connection.execute(insert(query_outcomes), said._asdict())
    release_query(connection, said.rater_id, said.query_key)
    if _count_standing(connection, said.query_key) >= ENOUGH:
        _set_aside(connection, said.query_key, 1)


def latest_outcome(connection: Connection, rater_id: int) -> Row[Any] | None:
    """What the rater said last of a query and has not taken back (outcome, query_key, …)."""
    return connection.execute(_LATEST, {"rater": rater_id}).one_or_none()


def standing_outcome(connection: Connection, query_key: int, rater_id: int) -> Row[Any] | None:
    """What the rater says now of this query, as `latest_outcome`; None if nothing stands."""
    mine = (query_outcomes.c.query_key == query_key) & (query_outcomes.c.rater_id == rater_id)
    chosen = select(query_outcomes).where(mine, query_outcomes.c.standing == 1)
    return connection.execute(chosen).one_or_none()


def own_outcomes(connection: Connection, rater_id: int) -> list[OwnOutcome]:
    """What the rater said last of each query, newest first; what was taken back is left out."""
    last = select(func.max(query_outcomes.c.outcome_id)).where(
        query_outcomes.c.rater_id == rater_id
    )
    said = query_outcomes.join(queries, queries.c.query_key == query_outcomes.c.query_key)
    chosen = select(
        queries.c.query_id,
        queries.c.text,
        query_outcomes.c.outcome,
        query_outcomes.c.reason,
        query_outcomes.c.recorded_at,
        query_outcomes.c.standing,
    ).select_from(said)
    chosen = chosen.where(
        query_outcomes.c.outcome_id.in_(last.group_by(query_outcomes.c.query_key)),
        query_outcomes.c.outcome != "undone",
    ).order_by(query_outcomes.c.outcome_id.desc())
    return [OwnOutcome(*row[:-1], stands=bool(row.standing)) for row in connection.execute(chosen)]


def undo_outcome(connection: Connection, latest: Row[Any], token: str, moment: str) -> None:
    """Take back what stands; a query set aside by it is asked for again.

    Args:
        connection: Inside a writing transaction.
        latest: The row that stands, of `latest_outcome` or `standing_outcome`.
        token: Of this undo.
        moment: When it was undone.
    """
    before = _count_standing(connection, latest.query_key)
    _end(connection, latest.query_key, latest.rater_id)
    undone = QueryOutcome(latest.query_key, latest.rater_id, "undone", "", token, moment)
    connection.execute(insert(query_outcomes), undone._asdict() | {"standing": 0})
    if before == ENOUGH:
        _set_aside(connection, latest.query_key, 0)


def settle_outcomes(connection: Connection, query_key: int) -> int:
    """An analyst has decided: what raters said of the query stands no more; how many said it.

    The query is asked for again, unless it is retired.

    Args:
        connection: Inside a writing transaction.
        query_key: The query.
    """
    mine = (query_outcomes.c.query_key == query_key) & (query_outcomes.c.standing == 1)
    settled = connection.execute(update(query_outcomes).where(mine).values(standing=0)).rowcount
    _set_aside(connection, query_key, 0)
    refresh_query(connection, query_key)
    return settled


def outcome_of_token(connection: Connection, token: str) -> Row[Any] | None:
    """The row that was written with this token, or None."""
    chosen = select(query_outcomes).where(query_outcomes.c.token == token)
    return connection.execute(chosen).one_or_none()


def outcome_before(connection: Connection, undone: Row[Any]) -> str:
    """What the row `undone` took back: unclear or out_of_scope."""
    mine = select(query_outcomes.c.outcome).where(
        query_outcomes.c.query_key == undone.query_key,
        query_outcomes.c.rater_id == undone.rater_id,
        query_outcomes.c.outcome_id < undone.outcome_id,
        query_outcomes.c.outcome != "undone",
    )
    before = mine.order_by(query_outcomes.c.outcome_id.desc()).limit(1)
    return str(connection.execute(before).scalar_one())


def _end(connection: Connection, query_key: int, rater_id: int) -> None:
    mine = (query_outcomes.c.query_key == query_key) & (query_outcomes.c.rater_id == rater_id)
    standing = mine & (query_outcomes.c.standing == 1)
    connection.execute(update(query_outcomes).where(standing).values(standing=0))


def _count_standing(connection: Connection, query_key: int) -> int:
    """How many humans say now that the query cannot be judged."""
    said = query_outcomes.join(people, people.c.person_id == query_outcomes.c.rater_id)
    counted = select(func.count()).select_from(said)
    mine = (query_outcomes.c.query_key == query_key) & (query_outcomes.c.standing == 1)
    return connection.execute(counted.where(mine, people.c.kind == "human")).scalar_one()


def _set_aside(connection: Connection, query_key: int, value: int) -> None:
    mine = update(queries).where(queries.c.query_key == query_key)
    connection.execute(mine.values(set_aside=value))
    refresh_open_slots_of_query(connection, query_key)


def _latest() -> Select[Any]:
    mine = select(query_outcomes).where(
        query_outcomes.c.rater_id == bindparam("rater"), query_outcomes.c.standing == 1
    )
    return mine.order_by(query_outcomes.c.outcome_id.desc()).limit(1)


_LATEST = _latest()
