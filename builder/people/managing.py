"""What admins do: let people in, give them roles and links, and let them go."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime

from builder.errors import BuilderError
from builder.people.admission import invite_digest
from builder.people.names import SimilarNameError, alike_people, clean_name
from builder.people.roles import Actor, active_admins, authorized, called, check_role, no_person
from builder.store import Connection
from builder.store import people as stored
from builder.store.activity import note
from builder.store.leases import held_leases, release_leases
from builder.store.moments import utc_text
from builder.store.people import Listed, Person
from builder.workspace import Workspace

_TOKEN_BYTES = 24


def people_with_counts(workspace: Workspace, actor: Actor) -> list[Listed]:
    """Everybody and everything that grades, with what came of it, in the order of coming.

    Raises:
        NotAllowedError: The actor is no admin.
    """
    with workspace.store.read() as connection:
        authorized(connection, actor, "admin")
        return stored.list_people(connection)


def add_person(workspace: Workspace, name: str, role: str, actor: Actor) -> Person:
    """Register somebody who has not been here yet.

    Raises:
        BuilderError: The name cannot be one, or is taken, or there is no such role.
        SimilarNameError: Somebody's name differs in case or spaces only.
        NotAllowedError: The actor is no admin.
    """
    kept = clean_name(name)
    check_role(role)
    with workspace.store.write() as connection:
        authorized(connection, actor, "admin")
        known = stored.find_person(connection, kept)
        if known is not None:
            raise _taken(known)
        if alike := alike_people(connection, kept):
            raise SimilarNameError(alike[0], kept)
        added = stored.add_person(connection, kept, role=role)
        note(connection, called(actor), "person.add", kept, {"role": role})
    return added


def change_role(workspace: Workspace, name: str, role: str, actor: Actor) -> Person:
    """Give somebody another role; the same one again changes nothing.

    Raises:
        BuilderError: Nobody is called so, there is no such role, or nobody would be left as admin.
        NotAllowedError: The actor is no admin.
    """
    check_role(role)

    def change(connection: Connection, person: Person) -> None:
        if person.role == role:
            return
        _keep_an_admin(connection, person, f"given the role {role}")
        stored.set_role(connection, person.person_id, role)
        changed = {"role": {"from": person.role, "to": role}}
        note(connection, called(actor), "person.role", person.name, changed)

    return _changed(workspace, name, actor, change)


def deactivate(workspace: Workspace, name: str, actor: Actor) -> Person:
    """Let somebody work here no more; what they did stays and counts, their screen is freed.

    Raises:
        BuilderError: Nobody is called so, or nobody would be left as admin.
        NotAllowedError: The actor is no admin.
    """

    def change(connection: Connection, person: Person) -> None:
        if not person.active:
            return
        _keep_an_admin(connection, person, "deactivated")
        stored.set_active(connection, person.person_id, active=False)
        held = held_leases(connection, person.person_id, utc_text(datetime.now(UTC)))
        release_leases(connection, person.person_id, held)
        note(connection, called(actor), "person.deactivate", person.name)

    return _changed(workspace, name, actor, change)


def reactivate(workspace: Workspace, name: str, actor: Actor) -> Person:
    """Let somebody work here again, in the role and with the link they had.

    Raises:
        BuilderError: Nobody is called so.
        NotAllowedError: The actor is no admin.
    """

    def change(connection: Connection, person: Person) -> None:
        if not person.active:
            stored.set_active(connection, person.person_id, active=True)
            note(connection, called(actor), "person.reactivate", person.name)

    return _changed(workspace, name, actor, change)


def new_invite(workspace: Workspace, name: str, actor: Actor) -> str:
    """A new secret for somebody's own link; the link before it does not work any more.

    It is shown now or never: the store keeps a digest.

    Raises:
        BuilderError: Nobody is called so, or not active.
        NotAllowedError: The actor is no admin.
    """
    token = secrets.token_urlsafe(_TOKEN_BYTES)

    def change(connection: Connection, person: Person) -> None:
        if not person.active:
            raise BuilderError(
                f"{person.name} is not active.", hint="Reactivate that person first."
            )
        stored.set_invite(connection, person.person_id, invite_digest(token))
        note(connection, called(actor), "person.invite", person.name)

    _changed(workspace, name, actor, change)
    return token


def _changed(
    workspace: Workspace, name: str, actor: Actor, change: Callable[[Connection, Person], None]
) -> Person:
    """The human called so, after an admin's change in one transaction."""
    with workspace.store.write() as connection:
        authorized(connection, actor, "admin")
        change(connection, known_human(connection, name))
        return known_human(connection, name)


def known_human(connection: Connection, name: str) -> Person:
    """The person called so.

    Raises:
        NotAllowedError: The name stands for imported, synthetic or a model's grades.
        BuilderError: Nobody is called so.
    """
    kept = clean_name(name)
    person = stored.find_person(connection, kept)
    if person is None:
        alike = alike_people(connection, kept)
        hint = f"Did you mean {alike[0].name}?" if alike else "See the page People."
        raise BuilderError(f"Nobody is called {kept} here.", hint=hint)
    if person.kind != "human":
        raise no_person(person)
    return person


def _taken(known: Person) -> BuilderError:
    if known.kind != "human":
        return no_person(known)
    state = known.role if known.active else "not active"
    hint = "Change the role instead." if known.active else "Reactivate that person instead."
    return BuilderError(f"{known.name} is here already ({state}).", hint=hint)


def _keep_an_admin(connection: Connection, person: Person, change: str) -> None:
    """Refuse what would leave nobody who can let people in."""
    if active_admins(connection) == [person]:
        raise BuilderError(
            f"{person.name} is the only active admin and cannot be {change}: nobody could manage "
            "people any more.",
            hint="Make somebody else admin first.",
        )
