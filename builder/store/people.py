"""People in the store: raters, analysts, admins, and the raters that stand for imported grades."""

from dataclasses import dataclass

from sqlalchemy import Connection, Row, insert, select

from builder.store.moments import now_text
from builder.store.schema import people


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


def _person(row: Row[tuple[object, ...]]) -> Person:
    return Person(row.person_id, row.name, row.kind, row.role, bool(row.active))
