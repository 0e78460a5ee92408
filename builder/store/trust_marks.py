"""What the report of agreement and raters was made of: by it an older one is recognised."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, func, or_, select

from builder.store.adjudications import excluded_raters
from builder.store.quota import content_mark
from builder.store.schema import activity, current_judgments, judgments, people

_DEEDS = ("query.", "import.queries", "rater.")
"""Deeds that begin so may change queries' tags, move grades, or say whose grades count."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What there is to make the report of.

    Decisions of adjudicators are not among it: the report is of the raters' own grades.

    Attributes:
        content: Another text after each restore; what was made before is of another content.
        judgment_id: The latest row of the log of judgments, 0 if there is none.
        standing: How many judgments stand, of all outcomes.
        deed: The latest activity_id of what changes queries or whose grades count.
        excluded: Rater -> why the rater's grades are left out.
    """

    content: str
    judgment_id: int
    standing: int
    deed: int
    excluded: Mapping[str, str]


def read_marks(connection: Connection) -> Marks:
    """What there is now; some ten milliseconds with a million grades."""
    deeds = or_(*(activity.c.action.startswith(prefix, autoescape=True) for prefix in _DEEDS))
    deed = select(activity.c.activity_id).where(deeds)
    deed = deed.order_by(activity.c.activity_id.desc()).limit(1)
    latest = select(func.max(judgments.c.judgment_id))
    standing = select(func.count()).select_from(current_judgments)
    return Marks(
        content=content_mark(connection),
        judgment_id=connection.execute(latest).scalar() or 0,
        standing=connection.execute(standing).scalar_one(),
        deed=connection.execute(deed).scalar() or 0,
        excluded=excluded_raters(connection),
    )


def count_newer_grades(connection: Connection, judgment_id: int) -> int:
    """How many grades people gave after that row of the log, corrections included."""
    by_people = judgments.join(people, people.c.person_id == judgments.c.rater_id)
    counted = select(func.count()).select_from(by_people)
    counted = counted.where(
        judgments.c.judgment_id > judgment_id,
        judgments.c.outcome == "grade",
        people.c.kind == "human",
    )
    return connection.execute(counted).scalar_one()


def count_grades_of_people(connection: Connection, limit: int) -> int:
    """How many grades of people stand; at most `limit`, so that counting is quick."""
    humans = select(people.c.person_id).where(people.c.kind == "human")
    some = select(current_judgments.c.pair_id).where(
        current_judgments.c.rater_id.in_(humans), current_judgments.c.outcome == "grade"
    )
    counted = select(func.count()).select_from(some.limit(limit).subquery())
    return connection.execute(counted).scalar_one()
