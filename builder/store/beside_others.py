"""A rater's grades beside what the others gave to the same pairs: where they are apart."""

from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, select

from builder.store.people import find_person
from builder.store.schema import current_judgments, judgments, pairs, people, queries

__all__ = ["Apart", "pairs_apart"]


class Apart(NamedTuple):
    """A pair on which somebody who counts gave another grade than this rater.

    Attributes:
        rater: The rater's name; untrusted.
        pair_id: The pair.
        own: The rater's grade, 0 to 3.
        others: The mean of the grades of the others who count, 0 to 3.
        low: The lowest grade of those who count, this rater's too if it counts.
        high: The highest.
    """

    rater: str
    pair_id: int
    own: int
    others: float
    low: int
    high: int

    @property
    def distance(self) -> float:
        """How far the own grade is from the mean of the others, 0 to 3."""
        return abs(self.own - self.others)


def pairs_apart(connection: Connection, name: str) -> list[Apart]:
    """The rater's pairs on which others who count gave another grade, the farthest first.

    The grades are those of this moment. At equal distance the order is that of the pairs. Pairs of
    retired queries are left out, and so are grades of excluded raters, but for this rater's own.

    Args:
        connection: Inside a transaction.
        name: The rater; of somebody unknown there are no pairs.
    """
    rater = find_person(connection, name)
    if rater is None or rater.kind != "human":
        return []
    excluded_at = select(people.c.excluded_at).where(people.c.person_id == rater.person_id)
    counts = connection.execute(excluded_at).scalar_one() is None
    rows = connection.execute(_beside(rater.person_id))
    found = [_apart(rater.name, row, counts=counts) for row in rows]
    return sorted(found, key=lambda row: (-row.distance, row.pair_id))


def _apart(name: str, row: Any, *, counts: bool) -> Apart:
    span = (row.low, row.high, *([row.grade] if counts else []))
    return Apart(name, row.pair_id, row.grade, int(row.total) / row.n, min(span), max(span))


def _beside(rater_id: int) -> Select[Any]:
    own, other = current_judgments.alias("own"), current_judgments.alias("other")
    given, said = judgments.alias("given"), judgments.alias("said")
    joined = (
        own.join(given, given.c.judgment_id == own.c.judgment_id)
        .join(pairs, pairs.c.pair_id == own.c.pair_id)
        .join(queries, queries.c.query_key == pairs.c.query_key)
        .join(other, (other.c.pair_id == own.c.pair_id) & (other.c.rater_id != own.c.rater_id))
        .join(said, said.c.judgment_id == other.c.judgment_id)
        .join(people, people.c.person_id == other.c.rater_id)
    )
    low, high = func.min(said.c.grade), func.max(said.c.grade)
    columns = (
        *(own.c.pair_id, given.c.grade, func.count().label("n")),
        *(func.sum(said.c.grade).label("total"), low.label("low"), high.label("high")),
    )
    chosen: Select[Any] = select(*columns).select_from(joined)
    return (
        chosen.where(
            *(own.c.rater_id == rater_id, own.c.outcome == "grade", other.c.outcome == "grade"),
            *(people.c.kind == "human", people.c.excluded_at.is_(None)),
            queries.c.status != "retired",
        )
        .group_by(own.c.pair_id, given.c.grade)
        .having((low != given.c.grade) | (high != given.c.grade))
    )
