"""People in the store: raters, analysts, admins, and the raters that stand for imported grades."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from builder.store.moments import now_text
from builder.store.schema import current_judgments, judgments, people


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, or something, that grades.

    Attributes:
        person_id: The store's key.
        name: As it was given; untrusted text.
        kind: human, import, synthetic or llm; only humans count in agreement.
        role: rater, analyst or admin.
        active: Whether this person may still work here.
    """

    person_id: int
    name: str
    kind: str
    role: str
    active: bool


@dataclass(frozen=True, slots=True)
class Listed:
    """Somebody, or something, that grades, and what came of it.

    Attributes:
        person: Who.
        created_at: Since when it is known here, ISO 8601 in UTC.
        has_link: Whether there is a link of this person's own to the app.
        grades: How many pairs this person grades: undone and skipped ones do not count.
        last_judged_at: When the last judgment came in, ISO 8601 in UTC; None if there is none.
        excluded: Whether the grades of this person are left out everywhere.
    """

    person: Person
    created_at: str
    has_link: bool
    grades: int
    last_judged_at: str | None
    excluded: bool


def add_person(
    connection: Connection, name: str, *, kind: str = "human", role: str = "rater"
) -> Person:
    """The person called `name`: the one who is known already, else a new one."""
    known = find_person(connection, name)
    if known is not None:
        return known
    row = {"name": name, "kind": kind, "role": role, "created_at": now_text()}
    connection.execute(insert(people), row)
    added = find_person(connection, name)
    if added is None:
        raise LookupError(f"{name!r} was added and is not there")
    return added


def find_person(connection: Connection, name: str) -> Person | None:
    """The person of exactly this name, or None."""
    row = connection.execute(select(people).where(people.c.name == name)).one_or_none()
    return None if row is None else _person(row)


def all_people(connection: Connection) -> list[Person]:
    """Everybody, in the order in which they came."""
    return [_person(row) for row in connection.execute(select(people).order_by("person_id"))]


def find_by_invite(connection: Connection, digest: str) -> Person | None:
    """The person whose link has this digest, or None."""
    row = connection.execute(select(people).where(people.c.invite == digest)).one_or_none()
    return None if row is None else _person(row)


def set_invite(connection: Connection, person_id: int, digest: str) -> None:
    """Give the person a link; the one before does not work any more."""
    _change(connection, person_id, invite=digest)


def set_role(connection: Connection, person_id: int, role: str) -> None:
    """Give the person another role."""
    _change(connection, person_id, role=role)


def set_active(connection: Connection, person_id: int, *, active: bool) -> None:
    """Say whether the person may work here."""
    _change(connection, person_id, active=int(active))


def list_people(connection: Connection) -> list[Listed]:
    """Everybody with what came of it, in the order in which they came."""
    graded = _grades_by_rater(connection)
    last = (
        select(judgments.c.recorded_at)
        .where(judgments.c.rater_id == people.c.person_id)
        .order_by(judgments.c.judgment_id.desc())
        .limit(1)
        .scalar_subquery()
    )
    chosen = select(people, last.label("last_judged_at")).order_by(people.c.person_id)
    return [
        Listed(
            _person(row),
            row.created_at,
            row.invite is not None,
            graded.get(row.person_id, 0),
            row.last_judged_at,
            row.excluded_at is not None,
        )
        for row in connection.execute(chosen)
    ]


def _grades_by_rater(connection: Connection) -> dict[int, int]:
    counted = select(current_judgments.c.rater_id, func.count().label("n"))
    counted = counted.where(current_judgments.c.outcome == "grade")
    counted = counted.group_by(current_judgments.c.rater_id)
    return {row.rater_id: row.n for row in connection.execute(counted)}


def _change(connection: Connection, person_id: int, **values: object) -> None:
    connection.execute(update(people).where(people.c.person_id == person_id).values(**values))


def _person(row: Row[Any]) -> Person:
    return Person(row.person_id, row.name, row.kind, row.role, bool(row.active))
