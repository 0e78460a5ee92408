"""What pooling learns from judgments: how fast people are, and whose documents are relevant."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, Table, case, exists, func, select, true

from builder.store.judgment_imports import IMPORTED
from builder.store.schema import (
    adjudications,
    current_judgments,
    documents,
    judgments,
    pair_sources,
    pairs,
    people,
    queries,
)

LATELY = 5000
"""So many of the last judgments say how fast people are."""

_BATCH = 500


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


class Settled(NamedTuple):
    """A pair with grades or a decision.

    Attributes:
        is_relevant: As in `Yield`.
        sources: Who named it.
    """

    is_relevant: bool
    sources: frozenset[str]


def yields(connection: Connection) -> list[Yield]:
    """What became of all documents that sources named; excluded raters do not count."""
    settled = _settled().subquery()
    columns = (pair_sources.c.source, pair_sources.c.rank)
    chosen = select(*columns, func.count(), func.sum(settled.c.relevant))
    joined = pair_sources.join(settled, settled.c.pair_id == pair_sources.c.pair_id)
    chosen = chosen.select_from(joined).group_by(*columns).order_by(*columns)
    return [Yield(row[0], row[1], row[2], row[3]) for row in connection.execute(chosen)]


def settled_pairs(
    connection: Connection, query_ids: Sequence[str]
) -> dict[tuple[str, str], Settled]:
    """(query_id, doc_id) -> what grades say, of the pairs of these queries that have any."""
    found: dict[tuple[str, str], Settled] = {}
    for start in range(0, len(query_ids), _BATCH):
        asked = select(pairs.c.pair_id).select_from(pairs.join(queries))
        asked = asked.where(queries.c.query_id.in_(query_ids[start : start + _BATCH]))
        settled = _settled(asked).subquery()
        columns = (queries.c.query_id, documents.c.doc_id, settled.c.relevant)
        joined = pairs.join(settled, settled.c.pair_id == pairs.c.pair_id).join(queries)
        joined = joined.join(documents).outerjoin(pair_sources)
        chosen = select(*columns, pair_sources.c.source).select_from(joined)
        for query_id, doc_id, relevant, source in connection.execute(chosen):
            before = found.get((query_id, doc_id))
            sources = (before.sources if before else frozenset()) | {source}
            found[query_id, doc_id] = Settled(bool(relevant), sources)
    return found


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


def pooled_documents(connection: Connection, query_ids: Sequence[str]) -> dict[str, set[str]]:
    """query_id -> the doc_ids that the pool holds for it; without those that have none."""
    found: dict[str, set[str]] = {}
    joined = pairs.join(queries).join(documents)
    for start in range(0, len(query_ids), _BATCH):
        chosen = select(queries.c.query_id, documents.c.doc_id).select_from(joined)
        chosen = chosen.where(queries.c.query_id.in_(query_ids[start : start + _BATCH]))
        for query_id, doc_id in connection.execute(chosen):
            found.setdefault(query_id, set()).add(doc_id)
    return found


def pooled_queries(connection: Connection) -> set[str]:
    """The query_ids of the queries that have any pair."""
    has_pair = exists().where(pairs.c.query_key == queries.c.query_key)
    return set(connection.execute(select(queries.c.query_id).where(has_pair)).scalars())


def known_query_ids(connection: Connection) -> dict[str, str]:
    """query_id -> active or retired, of all queries."""
    chosen = select(queries.c.query_id, queries.c.status)
    return {row.query_id: row.status for row in connection.execute(chosen)}


def all_doc_ids(connection: Connection) -> list[str]:
    """Every doc_id of the corpus, in their order."""
    return list(
        connection.execute(select(documents.c.doc_id).order_by(documents.c.doc_id)).scalars()
    )


def _settled(among: Select[tuple[int]] | None = None) -> Select[tuple[int, int]]:
    """Each pair with grades or a decision, and whether it is relevant (1) or not (0).

    Args:
        among: Only these pair_ids; None for all.
    """

    def mine(table: Table) -> ColumnElement[bool]:
        return true() if among is None else table.c.pair_id.in_(among)

    decided = select(adjudications.c.pair_id, _is_relevant(adjudications.c.grade))
    decided = decided.where(adjudications.c.standing == 1, mine(adjudications))
    said = current_judgments.join(
        judgments, judgments.c.judgment_id == current_judgments.c.judgment_id
    ).join(people, people.c.person_id == current_judgments.c.rater_id)
    positive = func.sum(case((judgments.c.grade >= 1, 1), else_=0))
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
        mine(current_judgments),
    ).group_by(current_judgments.c.pair_id)
    both = decided.union_all(graded).subquery()
    return select(both.c[0].label("pair_id"), both.c[1].label("relevant"))


def _is_relevant(grade: ColumnElement[int]) -> ColumnElement[int]:
    return case((grade >= 1, 1), else_=0)
