"""The log of who did what when, append-only; grades are not in it, for they are their own log."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select

from builder.store.moments import now_text
from builder.store.schema import activity


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that somebody did.

    Attributes:
        activity_id: Its place in the log.
        happened_at: ISO 8601 in UTC.
        actor: The name of who did it; "terminal" for commands.
        action: What was done, a short word or two of ours, such as "query.edit".
        subject: To what: a query_id, a person's name, a file's name … ; untrusted text.
        details: Anything else, as JSON; values are untrusted.
    """

    activity_id: int
    happened_at: str
    actor: str
    action: str
    subject: str
    details: Mapping[str, Any]


def note(
    connection: Connection,
    actor: str,
    action: str,
    subject: str = "",
    details: Mapping[str, Any] | None = None,
) -> None:
    """Write an entry, in the transaction of what it tells of."""
    row = {
        "happened_at": now_text(),
        "actor": actor,
        "action": action,
        "subject": subject,
        "details": json.dumps(dict(details or {}), ensure_ascii=False, allow_nan=False),
    }
    connection.execute(insert(activity), row)


def entries(
    connection: Connection,
    *,
    limit: int,
    before: int | None = None,
    actor: str | None = None,
    prefix: str | None = None,
    subject: str | None = None,
) -> list[Entry]:
    """The latest entries, newest first.

    Args:
        connection: Inside a transaction.
        limit: How many at most.
        before: Only those with a smaller activity_id: the next page.
        actor: Only what this person did.
        prefix: Only actions that begin so, such as "query.".
        subject: Only what was done to this.
    """
    chosen = select(activity).order_by(activity.c.activity_id.desc()).limit(limit)
    if before is not None:
        chosen = chosen.where(activity.c.activity_id < before)
    if actor is not None:
        chosen = chosen.where(activity.c.actor == actor)
    if prefix is not None:
        chosen = chosen.where(activity.c.action.startswith(prefix, autoescape=True))
    if subject is not None:
        chosen = chosen.where(activity.c.subject == subject)
    return [
        Entry(
            row.activity_id,
            row.happened_at,
            row.actor,
            row.action,
            row.subject,
            json.loads(row.details),
        )
        for row in connection.execute(chosen)
    ]


def actors(connection: Connection) -> list[str]:
    """Everybody who did something, by name."""
    chosen = select(activity.c.actor).distinct().order_by(activity.c.actor)
    return list(connection.execute(chosen).scalars())


def actions(connection: Connection) -> list[str]:
    """Every kind of deed that was ever done, in alphabetical order."""
    chosen = select(activity.c.action).distinct().order_by(activity.c.action)
    return list(connection.execute(chosen).scalars())


def count_entries(connection: Connection) -> int:
    """How many entries there are."""
    return connection.execute(select(func.count()).select_from(activity)).scalar_one()
