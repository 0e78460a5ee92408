"""Every text of the guidelines, numbered, and whether the file holds the latest one yet.

Usually the file guidelines.md leads: what it says is the latest version. Between the moment at
which a version is written here and the moment at which the file holds it, the file is behind:
`file_behind` then says which content of the file is to be replaced, so that whoever looks next can
tell a save that was cut short from a change by hand.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select

from builder.store.moments import now_text
from builder.store.schema import guidelines, judgments, rules

FROM_FILE = "file"
"""The author of a version that somebody wrote into the file by hand."""

_BEHIND = "guidelines_file_behind"


@dataclass(frozen=True, slots=True)
class Version:
    """One text of the guidelines.

    Attributes:
        version: Its number; later ones are greater.
        text: The text; untrusted.
        note: What was changed, "" if nothing was said; untrusted.
        author: Who saved it, "file" for a change by hand; untrusted.
        created_at: When, ISO 8601 in UTC.
    """

    version: int
    text: str
    note: str
    author: str
    created_at: str


def latest_key(connection: Connection) -> tuple[int, str] | None:
    """Number and time of the latest version, which together name it; None if there is none."""
    row = connection.execute(_LATEST_KEY).one_or_none()
    return None if row is None else (row.version, row.created_at)


def latest_version(connection: Connection) -> Version | None:
    """The latest version, or None."""
    chosen = select(guidelines).order_by(guidelines.c.version.desc()).limit(1)
    row = connection.execute(chosen).one_or_none()
    return None if row is None else _version(row)


def all_versions(connection: Connection) -> list[Version]:
    """All versions, newest first."""
    chosen = select(guidelines).order_by(guidelines.c.version.desc())
    return [_version(row) for row in connection.execute(chosen)]


def add_version(connection: Connection, text: str, note: str, author: str) -> Version:
    """Write a version, the latest from now on."""
    row = {"text": text, "note": note, "author": author, "created_at": now_text()}
    added = insert(guidelines).returning(guidelines.c.version)
    number = connection.execute(added, row).scalar_one()
    return Version(int(number), **row)


def judgments_by_version(connection: Connection) -> dict[int, int]:
    """How many judgments were made under each version: rows of the log, undone ones left out."""
    chosen = select(judgments.c.guidelines_version, func.count()).where(
        judgments.c.guidelines_version.is_not(None), judgments.c.outcome != "undone"
    )
    rows = connection.execute(chosen.group_by(judgments.c.guidelines_version))
    return {int(version): int(n) for version, n in rows}


def file_behind(connection: Connection) -> str | None:
    """Which content of the file the latest version is to replace (its digest); None if none."""
    chosen = select(rules.c.value).where(rules.c.name == _BEHIND)
    return connection.execute(chosen).scalar_one_or_none()


def note_file_behind(connection: Connection, digest: str | None) -> None:
    """Note that the file, whose content has this digest, is behind; None: it is not any more."""
    connection.execute(delete(rules).where(rules.c.name == _BEHIND))
    if digest is not None:
        connection.execute(insert(rules), {"name": _BEHIND, "value": digest})


def _version(row: Row[Any]) -> Version:
    return Version(row.version, row.text, row.note, row.author, row.created_at)


_LATEST_KEY = (
    select(guidelines.c.version, guidelines.c.created_at)
    .order_by(guidelines.c.version.desc())
    .limit(1)
)
