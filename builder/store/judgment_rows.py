"""Judgments with all that is known of them, for files that leave the workspace; memory stays flat.

Ordered by query, document and rater, so that everything about a pair comes together.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, bindparam, case, func, select

from builder.store.current import effective_time
from builder.store.schema import current_judgments, documents, judgments, pairs, people, queries
from evals.records import Query

BATCH = 1000

MODELS = ("synthetic", "llm")
"""Kinds of raters that are language models."""


class JudgmentRow(NamedTuple):
    """One judgment.

    Attributes:
        query_id: The query.
        doc_id: The document.
        rater: The rater's name.
        kind: human, import, synthetic or llm.
        outcome: grade, skip, cannot_judge; in the log also undone.
        grade: 0 to 3; None unless the outcome is grade.
        comment: What the rater wrote, "" if nothing.
        reason: Why the rater skipped or cannot judge, "" if not said.
        moment: When it was judged, ISO 8601 in UTC; None where an import did not say.
        milliseconds: How long the rater looked at the pair; None if unknown.
        guidelines_version: Under which guidelines it was made; None for imports.
        recorded: Where `moment` is None: when it came in, from which it counts; else None.
    """

    query_id: str
    doc_id: str
    rater: str
    kind: str
    outcome: str
    grade: int | None
    comment: str
    reason: str
    moment: str | None
    milliseconds: int | None
    guidelines_version: int | None
    recorded: str | None


def standing_rows(connection: Connection) -> Iterator[JudgmentRow]:
    """What each rater says now of each pair; what was undone does not stand."""
    return _by_query(connection, _STANDING)


def log_rows(connection: Connection) -> Iterator[JudgmentRow]:
    """The whole log; what one rater said of one pair comes in the order in which it counts."""
    return _by_query(connection, _LOG)


def standing_raters(connection: Connection, kinds: Sequence[str]) -> list[str]:
    """Raters of these kinds of whom a grade stands, by name."""
    chosen = select(people.c.name).distinct().order_by(people.c.name)
    chosen = chosen.select_from(
        current_judgments.join(people, people.c.person_id == current_judgments.c.rater_id)
    )
    chosen = chosen.where(current_judgments.c.outcome == "grade", people.c.kind.in_(kinds))
    return list(connection.execute(chosen).scalars())


def count_standing(connection: Connection) -> int:
    """How many judgments stand, skips and the like included."""
    counted = select(func.count()).where(current_judgments.c.outcome != "undone")
    return connection.execute(counted).scalar_one()


def count_of_models(connection: Connection) -> int:
    """How many of these are of language models."""
    models = select(people.c.person_id).where(people.c.kind.in_(MODELS))
    counted = select(func.count()).where(
        current_judgments.c.outcome != "undone", current_judgments.c.rater_id.in_(models)
    )
    return connection.execute(counted).scalar_one()


def queries_by_id(connection: Connection) -> dict[str, Query]:
    """All queries, retired ones too."""
    chosen = select(queries.c.query_id, queries.c.text, queries.c.need)
    return {
        query_id: Query(query_id, text, need) for query_id, text, need in connection.execute(chosen)
    }


def _by_query(connection: Connection, of_query: Select[Any]) -> Iterator[JudgmentRow]:
    in_order = select(queries.c.query_key, queries.c.query_id).order_by(queries.c.query_id)
    for query_key, query_id in connection.execute(in_order).all():
        asked = {"query_key": query_key}
        for row in connection.execute(of_query, asked, execution_options={"yield_per": BATCH}):
            yield JudgmentRow(query_id, *row)


def _columns() -> list[ColumnElement[Any]]:
    untimed = judgments.c.judged_at.is_(None)
    return [
        documents.c.doc_id,
        people.c.name,
        people.c.kind,
        judgments.c.outcome,
        judgments.c.grade,
        judgments.c.comment,
        judgments.c.reason,
        judgments.c.judged_at,
        judgments.c.milliseconds,
        judgments.c.guidelines_version,
        case((untimed, judgments.c.recorded_at)),
    ]


def _standing() -> Select[Any]:
    joined = (
        pairs.join(current_judgments, current_judgments.c.pair_id == pairs.c.pair_id)
        .join(judgments, judgments.c.judgment_id == current_judgments.c.judgment_id)
        .join(documents, documents.c.doc_key == pairs.c.doc_key)
        .join(people, people.c.person_id == current_judgments.c.rater_id)
    )
    chosen: Select[Any] = select(*_columns()).select_from(joined)
    chosen = chosen.where(pairs.c.query_key == bindparam("query_key"))
    chosen = chosen.where(current_judgments.c.outcome != "undone")
    return chosen.order_by(documents.c.doc_id, people.c.name)


def _log() -> Select[Any]:
    joined = (
        pairs.join(judgments, judgments.c.pair_id == pairs.c.pair_id)
        .join(documents, documents.c.doc_key == pairs.c.doc_key)
        .join(people, people.c.person_id == judgments.c.rater_id)
    )
    chosen: Select[Any] = select(*_columns()).select_from(joined)
    chosen = chosen.where(pairs.c.query_key == bindparam("query_key"))
    in_time = (effective_time(), judgments.c.judgment_id)
    return chosen.order_by(documents.c.doc_id, people.c.name, *in_time)


_STANDING = _standing()
_LOG = _log()
