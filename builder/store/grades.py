"""Reads judgments: what each rater says now of each pair, the whole log, and their number."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, exists, func, select

from builder.store.quota import asks_nobody, is_complete
from builder.store.schema import current_judgments, documents, judgments, pairs, people, queries

BATCH = 1000


class GradeRow(NamedTuple):
    """The current judgment of one rater on one pair.

    Attributes:
        query_id: The query.
        doc_id: The document.
        rater: The rater's name.
        kind: human, import, synthetic or llm.
        outcome: grade, skip or cannot_judge.
        grade: 0 to 3; None unless the outcome is grade.
        comment: What the rater wrote, "" if nothing.
        judged_at: When it was judged, ISO 8601 in UTC; None where an import did not say.
    """

    query_id: str
    doc_id: str
    rater: str
    kind: str
    outcome: str
    grade: int | None
    comment: str = ""
    judged_at: str | None = None


class RawJudgment(NamedTuple):
    """One row of the log: a judgment as it was given, whatever became of it later.

    Attributes:
        judgment_id: Grows with each row of the log.
        query_id: The query.
        doc_id: The document.
        rater: The rater's name.
        kind: human, import, synthetic or llm.
        outcome: grade, skip, cannot_judge or undone.
        grade: 0 to 3; None unless the outcome is grade.
        comment: What the rater wrote, "" if nothing.
        judged_at: When it was judged, ISO 8601 in UTC; None where an import did not say.
        recorded_at: When it came into this store.
        milliseconds: How long the rater looked at the pair; None if unknown.
    """

    judgment_id: int
    query_id: str
    doc_id: str
    rater: str
    kind: str
    outcome: str
    grade: int | None
    comment: str
    judged_at: str | None
    recorded_at: str
    milliseconds: int | None


@dataclass(frozen=True, slots=True)
class JudgmentCounts:
    """How much has been judged.

    Attributes:
        judgments: Rows of the log, undone and replaced ones too.
        grades: Grades that stand, of all kinds of raters.
        judged_pairs: Pairs that anybody graded who is no language model.
        human_pairs: Pairs that at least one person graded who is not excluded.
        complete_pairs: Pairs that have as many such grades as they shall get, if they shall get
            any.
        unasked_pairs: Pairs that nobody but a language model graded and that are asked of nobody:
            only synthesis named them.
    """

    judgments: int
    grades: int
    judged_pairs: int
    human_pairs: int
    complete_pairs: int
    unasked_pairs: int = 0

    def waiting_of(self, pairs: int) -> int:
        """How many of all `pairs` wait for a first grade."""
        return pairs - self.judged_pairs - self.unasked_pairs


def current_grades(connection: Connection) -> Iterator[GradeRow]:
    """What each rater says now, ordered by query_id, doc_id and rater; memory stays flat.

    Undone judgments are left out: nothing stands there.
    """
    for _, rows in grades_by_query(connection):
        yield from rows


def grades_by_query(
    connection: Connection, query_ids: Collection[str] | None = None
) -> Iterator[tuple[str, list[GradeRow]]]:
    """Every query_id in order, with what each rater says now of its pairs; nothing: no rows.

    Args:
        connection: Inside a transaction.
        query_ids: Only these queries; None: all.
    """
    in_order = select(queries.c.query_key, queries.c.query_id).order_by(queries.c.query_id)
    for query_key, query_id in connection.execute(in_order).all():
        if query_ids is not None and query_id not in query_ids:
            continue
        found = connection.execute(_OF_QUERY, {"query_key": query_key})
        yield query_id, [GradeRow(query_id, *row) for row in found]


def raw_judgments(connection: Connection) -> Iterator[RawJudgment]:
    """The whole log in the order in which it was written; memory stays flat."""
    for row in connection.execute(_LOG, execution_options={"yield_per": BATCH}):
        yield RawJudgment(*row)


def is_any_graded(connection: Connection, least: int) -> bool:
    """Whether any standing grade, of whomever, is so high."""
    joined = current_judgments.join(
        judgments, judgments.c.judgment_id == current_judgments.c.judgment_id
    )
    stands = current_judgments.c.outcome == "grade"
    chosen = select(judgments.c.grade).select_from(joined)
    chosen = chosen.where(stands, judgments.c.grade >= least).limit(1)
    return connection.execute(chosen).first() is not None


def count_judgments(connection: Connection, raters_per_pair: int) -> JudgmentCounts:
    """How much has been judged; `raters_per_pair` holds for pairs without a quota of their own."""
    is_grade = current_judgments.c.outcome == "grade"
    grades = connection.execute(select(func.count()).where(is_grade)).scalar_one()
    judged = select(func.count(current_judgments.c.pair_id.distinct()))
    judged = judged.where(is_grade, is_of_no_model())
    logged = connection.execute(select(func.count()).select_from(judgments)).scalar_one()
    return JudgmentCounts(
        judgments=logged,
        grades=grades,
        judged_pairs=connection.execute(judged).scalar_one(),
        human_pairs=_count_pairs(connection, pairs.c.human_grades >= 1),
        complete_pairs=_count_pairs(connection, is_complete(raters_per_pair)),
        unasked_pairs=_count_pairs(connection, _is_unasked()),
    )


def _count_pairs(connection: Connection, which: ColumnElement[bool]) -> int:
    return connection.execute(select(func.count()).select_from(pairs).where(which)).scalar_one()


def is_of_no_model() -> ColumnElement[bool]:
    """Whether the current judgment in hand is of a person or an import."""
    models = select(people.c.person_id).where(people.c.kind.in_(("synthetic", "llm")))
    return current_judgments.c.rater_id.not_in(models)


def _is_unasked() -> ColumnElement[bool]:
    graded = exists().where(
        current_judgments.c.pair_id == pairs.c.pair_id,
        current_judgments.c.outcome == "grade",
        is_of_no_model(),
    )
    return and_(asks_nobody(), ~graded.correlate(pairs))


def _of_query() -> Select[Any]:
    columns = (
        documents.c.doc_id,
        people.c.name,
        people.c.kind,
        current_judgments.c.outcome,
        judgments.c.grade,
        judgments.c.comment,
        judgments.c.judged_at,
    )
    joined = (
        pairs.join(current_judgments, current_judgments.c.pair_id == pairs.c.pair_id)
        .join(judgments, judgments.c.judgment_id == current_judgments.c.judgment_id)
        .join(documents, documents.c.doc_key == pairs.c.doc_key)
        .join(people, people.c.person_id == current_judgments.c.rater_id)
    )
    chosen: Select[Any] = select(*columns).select_from(joined)
    chosen = chosen.where(pairs.c.query_key == bindparam("query_key"))
    chosen = chosen.where(current_judgments.c.outcome != "undone")
    return chosen.order_by(documents.c.doc_id, people.c.name)


def _log() -> Select[Any]:
    columns = (
        judgments.c.judgment_id,
        queries.c.query_id,
        documents.c.doc_id,
        people.c.name,
        people.c.kind,
        judgments.c.outcome,
        judgments.c.grade,
        judgments.c.comment,
        judgments.c.judged_at,
        judgments.c.recorded_at,
        judgments.c.milliseconds,
    )
    joined = (
        judgments.join(pairs, pairs.c.pair_id == judgments.c.pair_id)
        .join(queries, queries.c.query_key == pairs.c.query_key)
        .join(documents, documents.c.doc_key == pairs.c.doc_key)
        .join(people, people.c.person_id == judgments.c.rater_id)
    )
    chosen: Select[Any] = select(*columns).select_from(joined)
    return chosen.order_by(judgments.c.judgment_id)


_OF_QUERY = _of_query()
_LOG = _log()
