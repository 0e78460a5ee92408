"""Validations as records: which synthetic queries were drawn for experts, and how they are now.

A validation keeps all queries that could be drawn, as they were then: text, stratum, chance, and
the grade that came with them. What experts say is read from the judgments, never copied.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, and_, insert, select, update

from builder.store.batches import batches
from builder.store.deeds import Deed, json_text, new_deed, read_deed, taken_back
from builder.store.quota import SYNTHETIC
from builder.store.schema import (
    activity,
    current_judgments,
    documents,
    judgments,
    pairs,
    people,
    queries,
)
from builder.store.synthesis_schema import (
    synthesis_tasks,
    synthetic_queries,
    validation_queries,
    validations,
)

BATCH = 1000


class SourcePair(NamedTuple):
    """A synthetic query and the document that it was written for.

    Attributes:
        query_key: The query.
        query_id: The same, as people know it.
        text: What it says.
        pair_id: The pair with its document.
        doc_id: The document.
        grade: What the document was taken for when the query was written.
        prompt: Which type of query was asked for; None where nobody knows, as of imported ones.
        language: In which language; None where nobody knows.
    """

    query_key: int
    query_id: str
    text: str
    pair_id: int
    doc_id: str
    grade: int
    prompt: str | None
    language: str | None


class Unit(NamedTuple):
    """A synthetic query as it goes into a validation.

    Attributes:
        source: The query and its document.
        stratum: Which part of the queries it belongs to.
        drawn: Whether experts are asked for it.
        probability: With which chance it was drawn, drawn or not.
    """

    source: SourcePair
    stratum: str
    drawn: bool
    probability: float


class UnitNow(NamedTuple):
    """A query of a validation as it is at this moment.

    Attributes:
        query_id: The query.
        doc_id: The document that it was written for.
        grade: The grade that it came with.
        stratum: Of the drawing.
        drawn: 1 where it was drawn.
        probability: The chance with which it was.
        text_then: What it said when it was drawn.
        text: What it says now.
        status: active or retired.
        set_aside: 1 while what raters say of the whole query waits for an analyst.
        open_slots: How many more grades the pair wants.
        quota: How many it shall get; None while no rule was applied.
        cannot_judges: How many people cannot judge it.
        patience: After so many nobody else is asked.
    """

    query_id: str
    doc_id: str
    grade: int
    stratum: str
    drawn: int
    probability: float
    text_then: str
    text: str
    status: str
    set_aside: int
    open_slots: int
    quota: int | None
    cannot_judges: int
    patience: int


@dataclass(frozen=True, slots=True)
class ValidationRow(Deed):
    """One record."""

    validation_id: int


def source_pairs(connection: Connection) -> list[SourcePair]:
    """The synthetic queries that are active and whose first grade stands, ordered by query_id.

    Of a query with several such pairs, as after a merge, the one that a model wrote it for counts.
    """
    found: dict[int, SourcePair] = {}
    for row in connection.execute(_SOURCES):
        source = SourcePair(*row)
        known = found.get(source.query_key)
        if known is None or (known.prompt is None and source.prompt is not None):
            found[source.query_key] = source
    return list(found.values())


def add_validation(
    connection: Connection,
    parameters: Mapping[str, Any],
    created_by: str,
    units: Iterable[Unit],
) -> int:
    """Write a validation, inside a writing transaction; its number."""
    row = new_deed(parameters, {}, created_by)
    made = insert(validations).values(row).returning(validations.c.validation_id)
    validation_id = int(connection.execute(made).scalar_one())
    for batch in batches(units, BATCH):
        rows = [_unit_row(validation_id, unit) for unit in batch]
        connection.execute(insert(validation_queries), rows)
    return validation_id


def keep_validation_outcome(
    connection: Connection, validation_id: int, outcome: Mapping[str, Any]
) -> None:
    """Write what came of a validation into its record."""
    mine = update(validations).where(validations.c.validation_id == validation_id)
    connection.execute(mine.values(outcome=json_text(dict(outcome))))


def end_validation(connection: Connection, validation_id: int, taken_back_by: str) -> None:
    """Let a validation stand no more."""
    mine = update(validations).where(validations.c.validation_id == validation_id)
    connection.execute(mine.values(taken_back(taken_back_by)))


def find_validation(connection: Connection, validation_id: int) -> ValidationRow | None:
    """The record of this number, or None."""
    return _one(connection, select(validations).where(validations.c.validation_id == validation_id))


def latest_validation(connection: Connection) -> ValidationRow | None:
    """The latest validation that stands, or None."""
    standing = select(validations).where(validations.c.taken_back_at.is_(None))
    return _one(connection, standing.order_by(validations.c.validation_id.desc()).limit(1))


def all_validations(connection: Connection) -> list[ValidationRow]:
    """All records, the latest first."""
    every = select(validations).order_by(validations.c.validation_id.desc())
    return [read_deed(ValidationRow, row) for row in connection.execute(every)]


def units_now(connection: Connection, validation_id: int) -> list[UnitNow]:
    """The queries of a validation as they are now, drawn or not, ordered by query_id."""
    mine = _UNITS.where(validation_queries.c.validation_id == validation_id)
    return [UnitNow(*row) for row in connection.execute(mine.order_by(queries.c.query_id))]


def rewritings(connection: Connection) -> dict[str, list[str]]:
    """query_id -> when its text was changed, ISO 8601 in UTC, in their order."""
    edits = select(activity.c.subject, activity.c.happened_at, activity.c.details)
    edits = edits.where(activity.c.action == "query.edit").order_by(activity.c.activity_id)
    found: defaultdict[str, list[str]] = defaultdict(list)
    for query_id, moment, details in connection.execute(edits):
        if "text" in json.loads(details).get("before", {}):
            found[query_id].append(moment)
    return dict(found)


def _one(connection: Connection, chosen: Select[Any]) -> ValidationRow | None:
    row: Row[Any] | None = connection.execute(chosen).one_or_none()
    return None if row is None else read_deed(ValidationRow, row)


def _unit_row(validation_id: int, unit: Unit) -> dict[str, Any]:
    return {
        "validation_id": validation_id,
        "query_key": unit.source.query_key,
        "pair_id": unit.source.pair_id,
        "grade": unit.source.grade,
        "text": unit.source.text,
        "stratum": unit.stratum,
        "drawn": int(unit.drawn),
        "inclusion_probability": unit.probability,
    }


def _sources() -> Select[Any]:
    written = synthetic_queries.join(synthesis_tasks)
    graded = (
        queries.join(pairs, pairs.c.query_key == queries.c.query_key)
        .join(documents, documents.c.doc_key == pairs.c.doc_key)
        .join(current_judgments, current_judgments.c.pair_id == pairs.c.pair_id)
        .join(judgments, judgments.c.judgment_id == current_judgments.c.judgment_id)
        .join(people, people.c.person_id == current_judgments.c.rater_id)
        .outerjoin(
            written,
            and_(
                synthetic_queries.c.query_key == queries.c.query_key,
                synthesis_tasks.c.doc_key == pairs.c.doc_key,
            ),
        )
    )
    chosen: Select[Any] = select(
        *(queries.c.query_key, queries.c.query_id, queries.c.text),
        *(pairs.c.pair_id, documents.c.doc_id, judgments.c.grade),
        *(synthesis_tasks.c.prompt, synthesis_tasks.c.language),
    ).select_from(graded)
    chosen = chosen.where(
        queries.c.source == SYNTHETIC,
        queries.c.status == "active",
        current_judgments.c.outcome == "grade",
        people.c.kind == SYNTHETIC,
    )
    return chosen.order_by(queries.c.query_id, pairs.c.pair_id, synthetic_queries.c.candidate_id)


def _units() -> Select[Any]:
    mine = validation_queries.c
    joined = (
        validation_queries.join(queries, queries.c.query_key == mine.query_key)
        .join(pairs, pairs.c.pair_id == mine.pair_id)
        .join(documents, documents.c.doc_key == pairs.c.doc_key)
    )
    chosen: Select[Any] = select(
        *(queries.c.query_id, documents.c.doc_id, mine.grade, mine.stratum, mine.drawn),
        *(mine.inclusion_probability, mine.text.label("text_then"), queries.c.text),
        *(queries.c.status, queries.c.set_aside, pairs.c.open_slots, pairs.c.quota),
        *(pairs.c.cannot_judges, pairs.c.patience),
    )
    return chosen.select_from(joined)


_SOURCES = _sources()
_UNITS = _units()
