"""Who works here, and who may do what. Roles are checked here, not in the menu."""

import re
import unicodedata

from builder.errors import BuilderError, NotAllowedError
from builder.store import people as stored
from builder.store.people import Person
from builder.workspace import Workspace

__all__ = ["ROLES", "Person", "clean_name", "ensure_person", "has_role", "require"]

ROLES = ("rater", "analyst", "admin")
"""From few rights to all; each may do what those before it may."""

LONGEST_NAME = 80

# Control characters, line ends of any kind, half characters, and marks that turn text around.
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean_name(name: str) -> str:
    """The name as it is kept: Unicode NFC, without white space around it.

    Raises:
        BuilderError: It is blank, longer than 80 characters, or holds control characters.
    """
    kept = unicodedata.normalize("NFC", name).strip()
    if not kept:
        raise BuilderError("A name is needed.", hint="Write your name as colleagues know it.")
    found = _UNFIT.search(kept)
    if found:
        raise BuilderError(f"A name cannot hold the character U+{ord(found[0]):04X}.")
    if len(kept) > LONGEST_NAME:
        raise BuilderError(f"A name has at most {LONGEST_NAME} characters; this has {len(kept)}.")
    return kept


def ensure_person(workspace: Workspace, name: str) -> Person:
    """The human who says this is their name; registered if nobody is called so.

    Whoever comes first where there is no admin yet becomes one, all others raters.

    Raises:
        BuilderError: The name cannot be one.
        NotAllowedError: The name stands for imported grades, or its owner is not active.
    """
    kept = clean_name(name)
    with workspace.store.read() as connection:
        person = stored.find_person(connection, kept)
    if person is None:
        person = _register(workspace, kept)
    if person.kind != "human":
        raise NotAllowedError(
            f"{kept} stands for grades of the kind {person.kind}, not for a person.",
            hint="Take another name.",
        )
    if not person.active:
        raise NotAllowedError(f"{kept} is not active here.", hint="Ask an admin.")
    return person


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
        raise NotAllowedError(
            f"{actor.name} may not do that: it takes the role {role}, and theirs is {actor.role}.",
            hint="Ask an admin.",
        )


def _register(workspace: Workspace, name: str) -> Person:
    with workspace.store.write() as connection:
        everybody = stored.all_people(connection)
        is_admin_there = any(person.role == "admin" and person.active for person in everybody)
        return stored.add_person(connection, name, role="rater" if is_admin_there else "admin")
