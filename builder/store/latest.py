"""The latest of what changes a workspace: by it people know whether what they computed is old."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, Select, func, select

from builder.store.schema import activity, adjudications, judgments

_NO_CHANGE = ("job.", "backup.")
"""Deeds that begin so change no grade, query, document or person."""
_NO_DATA = (*_NO_CHANGE, "person.", "judgments.", "guidelines.")
"""Deeds that begin so change no grade, query, document or event."""


@dataclass(frozen=True, slots=True)
class Latest:
    """The newest rows of the logs; 0 where a log is empty. Equal ones: nothing has changed.

    Attributes:
        judgment_id: The last judgment, of any outcome.
        adjudication_id: The last decision of an adjudicator.
        activity_id: The last deed that may have changed something: an import, an edit, a release.
    """

    judgment_id: int
    adjudication_id: int
    activity_id: int


def latest_changes(connection: Connection) -> Latest:
    """What came last, whatever it was; three look-ups at the end of an index."""
    deeds = _last_deed(activity.c.activity_id, _NO_CHANGE)
    return Latest(
        connection.execute(select(func.max(judgments.c.judgment_id))).scalar() or 0,
        connection.execute(select(func.max(adjudications.c.adjudication_id))).scalar() or 0,
        connection.execute(deeds).scalar() or 0,
    )


def moment_of_latest(connection: Connection) -> str | None:
    """When something was last said of a pair or done that may have changed any data.

    ISO 8601 in UTC; None where nothing ever was.
    """
    said = select(judgments.c.recorded_at).order_by(judgments.c.judgment_id.desc()).limit(1)
    done = _last_deed(activity.c.happened_at, _NO_DATA)
    moments = (connection.execute(last).scalar() for last in (said, done))
    return max(filter(None, moments), default=None)


def _last_deed(column: Column[Any], but: Sequence[str]) -> Select[Any]:
    deeds = select(column).order_by(activity.c.activity_id.desc()).limit(1)
    for prefix in but:
        deeds = deeds.where(~activity.c.action.startswith(prefix, autoescape=True))
    return deeds
