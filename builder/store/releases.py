"""Releases in the store: which were made, when, by whom, and what is in them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from builder.store.schema import releases


@dataclass(frozen=True, slots=True)
class Release:
    """One frozen task folder.

    Attributes:
        name: The task's name.
        number: Which release of it, from 1.
        content_hash: Equal where two releases hold the same.
        created_at: When, ISO 8601 in UTC.
        created_by: The name of who made it.
        counts: Documents, queries, judgments and what else was counted.
    """

    name: str
    number: int
    content_hash: str
    created_at: str
    created_by: str
    counts: Mapping[str, Any]


def add_release(connection: Connection, release: Release) -> None:
    """Note a release.

    Raises:
        sqlalchemy.exc.IntegrityError: There is one of this name and number.
    """
    row = {
        "name": release.name,
        "number": release.number,
        "content_hash": release.content_hash,
        "created_at": release.created_at,
        "created_by": release.created_by,
        "counts": json.dumps(dict(release.counts), ensure_ascii=False, allow_nan=False),
    }
    connection.execute(insert(releases), row)


def all_releases(connection: Connection, name: str | None = None) -> list[Release]:
    """The releases, of one task or of all, by name and then the newest first."""
    chosen = select(releases).order_by(releases.c.name, releases.c.number.desc())
    if name is not None:
        chosen = chosen.where(releases.c.name == name)
    return [
        Release(
            row.name,
            row.number,
            row.content_hash,
            row.created_at,
            row.created_by,
            json.loads(row.counts),
        )
        for row in connection.execute(chosen)
    ]
