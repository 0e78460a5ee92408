"""Leaves a rater's grades out of what pairs have, or takes that back: their pairs follow."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select, update

from builder.store.moments import now_text
from builder.store.quota import note_change, open_slots
from builder.store.rechecks import reopen_rechecks
from builder.store.schema import current_judgments, pairs, people


class Exclusion(NamedTuple):
    """That a rater's grades are left out of aggregation and of the quota.

    Attributes:
        name: The rater.
        since: ISO 8601 in UTC.
        by: Who excluded the rater.
        reason: Why; untrusted, as the names.
    """

    name: str
    since: str
    by: str
    reason: str


def find_exclusion(connection: Connection, person_id: int) -> Exclusion | None:
    """Why this person's grades are left out; None if they count."""
    chosen = _EXCLUDED.where(people.c.person_id == person_id)
    row = connection.execute(chosen).one_or_none()
    return None if row is None else Exclusion(*row)


def exclude_person(connection: Connection, person_id: int, by: str, reason: str) -> int:
    """Leave out the grades of a rater whose grades count; how many pairs want more grades now.

    Args:
        connection: Inside a writing transaction.
        person_id: The rater.
        by: Who says so.
        reason: Why.
    """
    asked_again = count_losing(connection, person_id)
    _mark(connection, person_id, excluded_at=now_text(), excluded_by=by, excluded_reason=reason)
    _shift_grades(connection, person_id, -1)
    return asked_again


def change_reason(connection: Connection, person_id: int, by: str, reason: str) -> None:
    """Give another reason for leaving out a rater who is left out already."""
    _mark(connection, person_id, excluded_by=by, excluded_reason=reason)


def include_person(connection: Connection, person_id: int) -> None:
    """Let the grades of a rater count again that are left out.

    Args:
        connection: Inside a writing transaction.
        person_id: The rater.
    """
    _mark(connection, person_id, excluded_at=None, excluded_by=None, excluded_reason=None)
    _shift_grades(connection, person_id, 1)
    reopen_rechecks(connection)


def count_losing(connection: Connection, person_id: int) -> int:
    """How many pairs would want more grades than now without those of this rater, who counts."""
    more = open_slots(grades=pairs.c.human_grades - 1) > pairs.c.open_slots
    counted = select(func.count()).select_from(pairs).where(_graded_by(person_id), more)
    return connection.execute(counted).scalar_one()


def _mark(connection: Connection, person_id: int, **values: str | None) -> None:
    connection.execute(update(people).where(people.c.person_id == person_id).values(**values))


def _shift_grades(connection: Connection, person_id: int, by: int) -> None:
    """Count one grade more or less on each pair that the rater grades.

    That is what counting anew would give, for a rater has one standing grade on a pair at most: in
    one statement, and without a look at what others said.
    """
    grades = pairs.c.human_grades + by
    shifted = update(pairs).where(_graded_by(person_id))
    connection.execute(shifted.values(human_grades=grades, open_slots=open_slots(grades=grades)))
    note_change(connection)


def _graded_by(person_id: int) -> ColumnElement[bool]:
    graded = select(current_judgments.c.pair_id).where(
        current_judgments.c.rater_id == person_id, current_judgments.c.outcome == "grade"
    )
    return pairs.c.pair_id.in_(graded)


_EXCLUDED = select(
    people.c.name, people.c.excluded_at, people.c.excluded_by, people.c.excluded_reason
).where(people.c.excluded_at.is_not(None))
