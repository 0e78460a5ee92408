"""Takes back what a rater said last, be it of a pair or of a whole query."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select

from builder.store import judgments, query_outcomes
from builder.store.moments import utc_text
from builder.store.schema import pairs


class TakenBack(NamedTuple):
    """What was undone.

    Attributes:
        what: grade, skip, cannot_judge, unclear or out_of_scope.
        pair_id: The pair; None if it was said of a whole query.
        query_key: The query.
    """

    what: str
    pair_id: int | None
    query_key: int


def take_back(
    connection: Connection, rater_id: int, token: str, now: datetime | None = None
) -> TakenBack | None:
    """Undo what the rater submitted last and has not taken back; None if there is nothing.

    Args:
        connection: Inside a writing transaction.
        rater_id: The rater's person_id.
        token: Of this undo; the same token again undoes nothing more and gives the same answer.
        now: When it was undone; default: this moment.

    Raises:
        ValueError: The token belongs to another rater.
    """
    again = query_outcomes.outcome_of_token(connection, token)
    if again is not None:
        if again.rater_id != rater_id:
            raise ValueError(f"token {token!r} belongs to another rater")
        what = query_outcomes.outcome_before(connection, again)
        return TakenBack(what, None, again.query_key)
    if not judgments.knows_token(connection, token):
        said = query_outcomes.latest_outcome(connection, rater_id)
        if said is not None and _is_later(connection, rater_id, said):
            moment = utc_text(now or datetime.now(UTC))
            query_outcomes.undo_outcome(connection, said, token, moment)
            return TakenBack(said.outcome, None, said.query_key)
    undone = judgments.undo_latest(connection, rater_id, token, now)
    if undone is None:
        return None
    what = judgments.outcome_before(connection, undone)
    return TakenBack(what, undone.pair_id, _query_of(connection, undone.pair_id))


def _is_later(connection: Connection, rater_id: int, said: Row[Any]) -> bool:
    """Whether the rater said this of a query after the last judgment that stands."""
    latest = judgments.latest_standing(connection, rater_id)
    return latest is None or bool(said.recorded_at >= latest.recorded_at)


def _query_of(connection: Connection, pair_id: int) -> int:
    chosen = select(pairs.c.query_key).where(pairs.c.pair_id == pair_id)
    return int(connection.execute(chosen).scalar_one())
