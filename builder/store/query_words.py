"""What raters could not judge, whole queries and pairs, and on which an analyst is to decide."""

from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    case,
    exists,
    func,
    literal_column,
    select,
)

from builder.store.current import effective_time
from builder.store.schema import (
    current_judgments,
    documents,
    judgments,
    pairs,
    people,
    queries,
    query_outcomes,
)


class Word(NamedTuple):
    """What one rater says now.

    Attributes:
        said_id: Its place in its log.
        rater: The rater's name.
        outcome: unclear or out_of_scope of a query, cannot_judge of a pair.
        reason: Why; untrusted text.
        moment: When, ISO 8601 in UTC.
    """

    said_id: int
    rater: str
    outcome: str
    reason: str
    moment: str


class GivenUp(NamedTuple):
    """A pair that several people cannot judge.

    Attributes:
        pair_id: The pair.
        query_id: Its query.
        query: The query's text.
        doc_id: Its document.
        title: The document's title.
        grades: How many people graded it nevertheless.
        quota: How many it shall get.
    """

    pair_id: int
    query_id: str
    query: str
    doc_id: str
    title: str
    grades: int
    quota: int


class DoubtedPair(NamedTuple):
    """Whether a pair waits for an analyst.

    Attributes:
        query_id: Its query.
        doc_id: Its document.
        given_up: Whether nobody is asked for it any more, and an analyst decides.
    """

    query_id: str
    doc_id: str
    given_up: bool


def words_about(connection: Connection, query_keys: Collection[int]) -> dict[int, list[Word]]:
    """What raters say now of these whole queries, the earliest first; others are absent."""
    columns = (
        query_outcomes.c.outcome_id,
        people.c.name,
        query_outcomes.c.outcome,
        query_outcomes.c.reason,
        query_outcomes.c.recorded_at,
    )
    joined = query_outcomes.join(people, people.c.person_id == query_outcomes.c.rater_id)
    chosen = select(query_outcomes.c.query_key, *columns).select_from(joined)
    chosen = chosen.where(
        query_outcomes.c.query_key.in_(query_keys), query_outcomes.c.standing == 1
    )
    return _gathered(connection, chosen.order_by(query_outcomes.c.outcome_id))


def questioned(connection: Connection, limit: int) -> list[int]:
    """The active queries that wait for a decision as wholes: set aside first, then the latest."""
    standing = (query_outcomes.c.query_key == queries.c.query_key) & (
        query_outcomes.c.standing == 1
    )
    latest = select(func.max(query_outcomes.c.outcome_id)).where(standing).scalar_subquery()
    chosen = select(queries.c.query_key).where(
        queries.c.status == "active",
        (queries.c.set_aside == 1) | queries.c.query_key.in_(queries_questioned()),
    )
    ordered = chosen.order_by(queries.c.set_aside.desc(), latest.desc(), queries.c.query_key)
    return list(connection.execute(ordered.limit(limit)).scalars())


def given_up_pairs(connection: Connection, limit: int) -> list[GivenUp]:
    """Pairs of active queries on which an analyst is to decide, in the order of the pool."""
    columns = (
        pairs.c.pair_id,
        queries.c.query_id,
        queries.c.text,
        documents.c.doc_id,
        documents.c.title,
        pairs.c.human_grades,
        pairs.c.quota,
    )
    joined = pairs.join(queries, queries.c.query_key == pairs.c.query_key)
    joined = joined.join(documents, documents.c.doc_key == pairs.c.doc_key)
    chosen: Select[Any] = select(*columns).select_from(joined).where(_decidable())
    return [GivenUp(*row) for row in connection.execute(chosen.order_by("pair_id").limit(limit))]


def count_given_up(connection: Connection) -> int:
    """How many pairs of active queries an analyst is to decide on."""
    joined = pairs.join(queries, queries.c.query_key == pairs.c.query_key)
    counted = select(func.count()).select_from(joined).where(_decidable())
    return connection.execute(counted).scalar_one()


def words_about_pairs(connection: Connection, pair_ids: Collection[int]) -> dict[int, list[Word]]:
    """Who says now of these pairs that they cannot judge them, the earliest first."""
    columns = (
        judgments.c.judgment_id,
        people.c.name,
        judgments.c.outcome,
        judgments.c.reason,
        effective_time(),
    )
    joined = current_judgments.join(
        judgments, judgments.c.judgment_id == current_judgments.c.judgment_id
    ).join(people, people.c.person_id == current_judgments.c.rater_id)
    chosen = select(current_judgments.c.pair_id, *columns).select_from(joined)
    chosen = chosen.where(
        current_judgments.c.pair_id.in_(pair_ids), current_judgments.c.outcome == "cannot_judge"
    )
    return _gathered(connection, chosen.order_by(judgments.c.judgment_id))


def doubted_pair(connection: Connection, pair_id: int) -> DoubtedPair | None:
    """Whether this pair waits for an analyst; None if it is unknown."""
    joined = pairs.join(queries, queries.c.query_key == pairs.c.query_key)
    joined = joined.join(documents, documents.c.doc_key == pairs.c.doc_key)
    stuck = case((given_up(), 1), else_=0)
    chosen = select(queries.c.query_id, documents.c.doc_id, stuck.label("stuck"))
    chosen = chosen.select_from(joined).where(pairs.c.pair_id == pair_id)
    row = connection.execute(chosen).one_or_none()
    return None if row is None else DoubtedPair(row.query_id, row.doc_id, bool(row.stuck))


def queries_questioned() -> Select[tuple[int]]:
    """The query_keys of which a rater says now that they are unclear or out of scope."""
    return select(query_outcomes.c.query_key).where(query_outcomes.c.standing == 1)


def queries_given_up() -> Select[tuple[int]]:
    """The query_keys with a pair on which an analyst is to decide."""
    return select(pairs.c.query_key).where(pairs.c.pair_id.in_(_doubted()), given_up())


def given_up() -> ColumnElement[bool]:
    """Whether so many people cannot judge the pair in hand that an analyst is to decide.

    An analyst's own grade of it is a decision.
    """
    by_analyst = exists().where(
        current_judgments.c.pair_id == pairs.c.pair_id,
        current_judgments.c.outcome == "grade",
        people.c.person_id == current_judgments.c.rater_id,
        people.c.role != "rater",
    )
    by_analyst = by_analyst.correlate(pairs)
    stuck = pairs.c.cannot_judges >= pairs.c.patience
    return stuck & (pairs.c.human_grades < pairs.c.quota) & ~by_analyst


def _decidable() -> ColumnElement[bool]:
    asked = (queries.c.status == "active") & (queries.c.set_aside == 0)
    return asked & pairs.c.pair_id.in_(_doubted()) & given_up()


def _doubted() -> Select[tuple[int]]:
    """The pairs that somebody cannot judge: few, and in a small index of their own."""
    return select(current_judgments.c.pair_id).where(
        current_judgments.c.outcome == "cannot_judge",
        # Says nothing more, but leads to the small index of what was put off.
        current_judgments.c.outcome != literal_column("'grade'"),
    )


def _gathered(connection: Connection, chosen: Select[Any]) -> dict[int, list[Word]]:
    by_key: dict[int, list[Word]] = {}
    for key, *said in connection.execute(chosen):
        by_key.setdefault(key, []).append(Word(*said))
    return by_key
