"""The latest of what changes a workspace: by it people know whether what they computed is old."""

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from builder.store.schema import activity, adjudications, judgments

_NO_CHANGE = ("job.", "backup.")
"""Deeds that begin so change no grade, query, document or person."""


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
    deeds = select(activity.c.activity_id).order_by(activity.c.activity_id.desc()).limit(1)
    for prefix in _NO_CHANGE:
        deeds = deeds.where(~activity.c.action.startswith(prefix, autoescape=True))
    return Latest(
        connection.execute(select(func.max(judgments.c.judgment_id))).scalar() or 0,
        connection.execute(select(func.max(adjudications.c.adjudication_id))).scalar() or 0,
        connection.execute(deeds).scalar() or 0,
    )
