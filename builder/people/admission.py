"""Who comes in: by a picked name, by a link of their own, or by the name a trusted proxy gives."""

import hashlib
from collections.abc import Sequence

from builder.errors import NotAllowedError
from builder.people.names import SimilarNameError, alike_people, clean_name
from builder.people.roles import active_admins, admitted
from builder.store import Connection
from builder.store import people as stored
from builder.store.activity import note
from builder.store.people import Person
from builder.workspace import Workspace


def find_active(workspace: Workspace, name: str) -> Person | None:
    """The human of exactly this name who may work here, or None."""
    with workspace.store.read() as connection:
        person = stored.find_person(connection, name)
    return person if person and person.kind == "human" and person.active else None


def person_called(workspace: Workspace, name: str) -> Person | None:
    """The human of exactly this name; None if nobody is called so.

    Raises:
        NotAllowedError: The name stands for imported grades, or its owner is not active.
    """
    with workspace.store.read() as connection:
        person = stored.find_person(connection, name)
    return None if person is None else admitted(person)


def actor_called(workspace: Workspace, name: str) -> Person:
    """Who a job works for, as this person is now: the role may have changed since it was begun.

    Raises:
        NotAllowedError: Nobody is called so.
    """
    with workspace.store.read() as connection:
        person = stored.find_person(connection, name)
    if person is None:
        raise NotAllowedError(f"nobody is called {name} here")
    return person


def ensure_person(workspace: Workspace, name: str) -> Person:
    """The human who says this is their name; registered if nobody is called so.

    Whoever comes first where there is no admin yet becomes one, all others raters.

    Raises:
        BuilderError: The name cannot be one.
        SimilarNameError: Somebody's name differs in case or spaces only.
        NotAllowedError: The name stands for imported grades, or its owner is not active.
    """
    kept = clean_name(name)
    if known := person_called(workspace, kept):
        return known
    with workspace.store.write() as connection:
        if alike := alike_people(connection, kept):
            raise SimilarNameError(alike[0], kept)
        return admitted(_register(connection, kept))


def person_of_header(workspace: Workspace, values: str | Sequence[str] | None) -> Person:
    """The person whom the trusted proxy names; registered if nobody is called so.

    A name that differs from a known one in case or spaces only is that person.

    Args:
        workspace: Its settings name the header.
        values: What the request holds under that header: one text, all of several, or None.

    Raises:
        NotAllowedError: Nobody is named, or more than one, or who is named may not work here.
    """
    given = [values] if isinstance(values, str) else list(values or ())
    kept = _name_in_header(given, workspace.settings.sign_in.header)
    if known := person_called(workspace, kept):
        return known
    with workspace.store.write() as connection:
        alike = alike_people(connection, kept)
        active = [person for person in alike if person.active] or alike
        if len(active) > 1:
            raise NotAllowedError(
                f"{kept} may be {active[0].name} or {active[1].name}: they differ only in "
                "capitals or spaces.",
                hint="Ask an admin to deactivate one of them.",
            )
        return admitted(active[0] if active else _register(connection, kept))


def person_of_invite(workspace: Workspace, token: str) -> Person | None:
    """The person whose own link holds this token; None if it is nobody's, or not any more.

    Raises:
        NotAllowedError: The person is not active.
    """
    with workspace.store.read() as connection:
        person = stored.find_by_invite(connection, invite_digest(token))
    return None if person is None else admitted(person)


def people_to_pick(workspace: Workspace) -> list[Person]:
    """Who may work here, by name."""
    with workspace.store.read() as connection:
        people = stored.all_people(connection)
    active = [person for person in people if person.kind == "human" and person.active]
    return sorted(active, key=lambda person: person.name.casefold())


def is_admin_there(workspace: Workspace) -> bool:
    """Whether somebody is admin; else whoever comes first becomes it."""
    with workspace.store.read() as connection:
        return bool(active_admins(connection))


def invite_digest(token: str) -> str:
    """What the store keeps of a link's secret: SHA-256 in hexadecimal."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _register(connection: Connection, name: str) -> Person:
    """Somebody who came by themselves: admin where there is none, else rater."""
    known = stored.find_person(connection, name)
    if known is not None:
        return known
    role = "rater" if active_admins(connection) else "admin"
    person = stored.add_person(connection, name, role=role)
    note(connection, person.name, "person.join", person.name, {"role": role})
    return person


def _name_in_header(values: Sequence[str], header: str) -> str:
    named = [value.strip() for value in values]
    if not any(named):
        raise NotAllowedError(
            "The proxy did not say who you are.",
            where=f"the header {header} of the request",
            hint="Open the app at the proxy's address, not at the app's own. If you did, whoever "
            f"runs the proxy should see whether it sets {header}.",
        )
    if len(named) > 1:
        raise NotAllowedError(
            f"The header {header} came {len(named)} times, so nobody knows who you are.",
            hint="The proxy must take the header away from what browsers send, then set it once.",
        )
    return clean_name(_decoded(named[0]))


def _decoded(value: str) -> str:
    """A header's bytes are read as Latin-1; most proxies write names in UTF-8."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value
