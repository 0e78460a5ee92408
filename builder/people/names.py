"""Names: how they are kept, and which would be taken for each other."""

import re
import unicodedata

from builder.errors import BuilderError
from builder.store import Connection
from builder.store import people as stored
from builder.store.people import Person

LONGEST_NAME = 80

# Control characters, line ends of any kind, half characters, and marks that turn text around.
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class SimilarNameError(BuilderError):
    """The name differs from a known one in case or spaces only; `known` is who has that one.

    Args:
        known: Who is here.
        name: The name that was given.
    """

    def __init__(self, known: Person, name: str) -> None:
        super().__init__(
            f"{known.name} is here already; {name} differs from that only in capitals or spaces.",
            hint=f"If both are one person, take the name {known.name}; if not, add a surname.",
        )
        self.known = known


def clean_name(name: str) -> str:
    """The name as it is kept: Unicode NFC, without white space around it.

    Raises:
        BuilderError: It is blank, longer than 80 characters, or holds control characters.
    """
    kept = unicodedata.normalize("NFC", name).strip()
    found = _UNFIT.search(kept)
    if found:
        raise BuilderError(f"A name cannot hold the character U+{ord(found[0]):04X}.")
    if not _folded(kept):
        raise BuilderError("A name is needed.", hint="Write your name as colleagues know it.")
    if len(kept) > LONGEST_NAME:
        raise BuilderError(f"A name has at most {LONGEST_NAME} characters; this has {len(kept)}.")
    return kept


class NamesByLook:
    """The humans' names by their look, for whoever registers many: looked up without a search.

    Args:
        connection: Reads who is here.
    """

    def __init__(self, connection: Connection) -> None:
        self._names: dict[str, str] = {}
        for person in stored.all_people(connection):
            if person.kind == "human":
                self.add(person.name)

    def add(self, name: str) -> None:
        """Take in a name; of several that look alike the first is told."""
        self._names.setdefault(_folded(name), name)

    def alike(self, name: str) -> str | None:
        """Another name that differs from this one in case, spaces or invisible marks only."""
        known = self._names.get(_folded(name))
        return None if known == name else known


def alike_people(connection: Connection, name: str) -> list[Person]:
    """Humans of other names that differ from this one in case, spaces or invisible marks only."""
    people = stored.all_people(connection)
    folded = _folded(name)
    return [
        person
        for person in people
        if person.kind == "human" and person.name != name and _folded(person.name) == folded
    ]


def _folded(name: str) -> str:
    compatible = unicodedata.normalize("NFKC", name).casefold()
    return "".join(c for c in compatible if unicodedata.category(c) not in ("Cf", "Zs"))
