"""Who may do what. It is checked here, not in the menu."""

from typing import TypeAlias

from builder.errors import BuilderError, NotAllowedError
from builder.store import Connection
from builder.store import people as stored
from builder.store.people import Person
from builder.workspace import Workspace

ROLES = ("rater", "analyst", "admin")
"""From few rights to all; each may do what those before it may."""

TERMINAL = "terminal"
"""Who did it, in the log, where somebody typed a command."""

Actor: TypeAlias = Person | None
"""Who asks for something; None is the terminal, whose user owns the files."""


def has_role(person: Person, role: str) -> bool:
    """Whether this is an active human of this role or a higher one.

    Raises:
        ValueError: There is no such role.
    """
    if role not in ROLES:
        raise ValueError(f"role == {role!r}, must be one of {', '.join(ROLES)}")
    allowed = person.kind == "human" and person.active
    return allowed and ROLES.index(person.role) >= ROLES.index(role)


def require(actor: Person, role: str) -> None:
    """Let pass who has this role or a higher one.

    Raises:
        NotAllowedError: `actor` has not, or is not active, or is no human.
        ValueError: There is no such role.
    """
    if not has_role(actor, role):
        if not actor.active:
            admitted(actor)
        raise NotAllowedError(
            f"{actor.name} may not do that: it takes the role {role}, and theirs is {actor.role}.",
            hint="Ask an admin.",
        )


def authorize(workspace: Workspace, actor: Actor, role: str) -> None:
    """Let pass who has this role *now*: what a page knew of a person may be old.

    Raises:
        NotAllowedError: As `require`; None, the terminal, may do everything.
    """
    if actor is not None:
        with workspace.store.read() as connection:
            authorized(connection, actor, role)


def authorized(connection: Connection, actor: Actor, role: str) -> None:
    """As `authorize`, inside the transaction of what is to be done."""
    if actor is None:
        return
    now = stored.find_person(connection, actor.name)
    if now is None:
        raise NotAllowedError(f"Nobody is called {actor.name} here.", hint="Sign in again.")
    require(now, role)


def admitted(person: Person) -> Person:
    """The person, if it is one who may work here.

    Raises:
        NotAllowedError: It is not.
    """
    if person.kind != "human":
        raise no_person(person)
    if not person.active:
        raise NotAllowedError(
            f"{person.name} is not active here any more; the grades given before stay.",
            hint="Ask an admin to reactivate you.",
        )
    return person


def no_person(person: Person) -> NotAllowedError:
    """Why nobody signs in as a rater out of an import, and nobody manages one."""
    return NotAllowedError(
        f"{person.name} stands for grades of the kind {person.kind}, not for a person.",
        hint="Take another name.",
    )


def check_role(role: str) -> None:
    """Let pass what is a role.

    Raises:
        BuilderError: There is no such role.
    """
    if role not in ROLES:
        raise BuilderError(f"There is no role {role}.", hint=f"Roles: {', '.join(ROLES)}.")


def active_admins(connection: Connection) -> list[Person]:
    """Who may do everything now."""
    return [person for person in stored.all_people(connection) if has_role(person, "admin")]


def called(actor: Actor) -> str:
    """The actor as the log names it."""
    return TERMINAL if actor is None else actor.name
