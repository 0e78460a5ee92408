"""What pooling learns from judgments: how fast people are, and whose documents are relevant."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, case, exists, func, or_, select

from builder.store.judgment_imports import IMPORTED
from builder.store.schema import (
    adjudications,
    current_judgments,
    judgments,
    pair_sources,
    people,
)

LATELY = 5000
"""So many of the last judgments say how fast people are."""


class Yield(NamedTuple):
    """What became of the documents that a source named at a rank.

    Attributes:
        source: The source.
        rank: From 1; None where it ranks nothing.
        graded: Pairs with a grade of a person or an import, or a decision.
        relevant: Of these, those that are relevant: at least half of the grades are 1 or higher,
            or the decision is.
    """

    source: str
    rank: int | None
    graded: int
    relevant: int


def yields(connection: Connection, hopeless: Collection[str] = ()) -> list[Yield]:
    """What became of the documents that sources are on record for; excluded raters do not count.

    Args:
        connection: In any transaction.
        hopeless: Sources that expect nothing relevant. Of what they named only that counts which no
            other source named: who draws by chance names now and then what others found, and that
            was graded for being likely relevant.
    """
    settled = _settled().subquery()
    columns = (pair_sources.c.source, pair_sources.c.rank)
    chosen = select(*columns, func.count(), func.sum(settled.c.relevant))
    joined = pair_sources.join(settled, settled.c.pair_id == pair_sources.c.pair_id)
    chosen = chosen.select_from(joined).where(_tells(hopeless))
    chosen = chosen.group_by(*columns).order_by(*columns)
    return [Yield(row[0], row[1], row[2], row[3]) for row in connection.execute(chosen)]


def latest_moments(connection: Connection, limit: int = LATELY) -> dict[int, list[datetime]]:
    """person_id -> when this person judged, of the latest judgments of all; the earliest first.

    Of humans only, and without what was imported.
    """
    by_people = judgments.join(people, people.c.person_id == judgments.c.rater_id)
    chosen = select(judgments.c.rater_id, judgments.c.recorded_at).select_from(by_people)
    chosen = chosen.where(people.c.kind == "human")
    chosen = chosen.where(~judgments.c.token.startswith(IMPORTED, autoescape=True))
    chosen = chosen.order_by(judgments.c.judgment_id.desc()).limit(limit)
    found: dict[int, list[datetime]] = {}
    for rater_id, recorded_at in reversed(connection.execute(chosen).all()):
        found.setdefault(rater_id, []).append(datetime.fromisoformat(recorded_at))
    return found


def _tells(hopeless: Collection[str]) -> ColumnElement[bool]:
    """Whether that a source named a pair tells something of the source."""
    other = pair_sources.alias()
    found = exists().where(
        other.c.pair_id == pair_sources.c.pair_id, other.c.source.not_in(hopeless)
    )
    return or_(pair_sources.c.source.not_in(hopeless), ~found)


def _settled() -> Select[tuple[int, int]]:
    """Each pair with grades or a decision, and whether it is relevant (1) or not (0)."""
    decided = select(adjudications.c.pair_id, _is_relevant(adjudications.c.grade))
    decided = decided.where(adjudications.c.standing == 1)
    said = current_judgments.join(
        judgments, judgments.c.judgment_id == current_judgments.c.judgment_id
    ).join(people, people.c.person_id == current_judgments.c.rater_id)
    positive = func.sum(_is_relevant(judgments.c.grade))
    graded = select(
        current_judgments.c.pair_id, case((2 * positive >= func.count(), 1), else_=0)
    ).select_from(said)
    has_decision = exists().where(
        adjudications.c.pair_id == current_judgments.c.pair_id, adjudications.c.standing == 1
    )
    graded = graded.where(
        current_judgments.c.outcome == "grade",
        people.c.kind.in_(("human", "import")),
        people.c.excluded_at.is_(None),
        ~has_decision,
    ).group_by(current_judgments.c.pair_id)
    both = decided.union_all(graded).subquery()
    return select(both.c[0].label("pair_id"), both.c[1].label("relevant"))


def _is_relevant(grade: ColumnElement[int]) -> ColumnElement[int]:
    return case((grade >= 1, 1), else_=0)
