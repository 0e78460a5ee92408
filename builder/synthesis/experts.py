"""What experts say of the queries of a validation, unit by unit: the evidence of a verdict."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from builder.judging.aggregation import is_decision, settle_pairs
from builder.settings import SynthesisSettings
from builder.store import Connection
from builder.store.adjudications import excluded_raters, grades_and_decisions
from builder.store.judgments import GradeRow
from builder.store.validations import (
    UnitNow,
    latest_validation,
    rewritings,
    source_pairs,
    units_now,
)
from evals.records import Validation

RELEVANT: Final = 2
"""From this grade on an expert agrees: the document is relevant for the query."""

AGREES, DISAGREES, CANNOT_JUDGE, GONE, WAITING = (
    *("agrees", "disagrees", "cannot_judge", "gone", "waiting"),
)
SAID: Final = (AGREES, DISAGREES, CANNOT_JUDGE, GONE, WAITING)
"""What became of a drawn query. gone: rewritten or retired before anybody had graded it, or merged
away (its grades went along). A grade of the words that were drawn still speaks of them."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One query of a validation.

    Attributes:
        query_id: The query.
        doc_id: The document that it was written for.
        stratum: Of the drawing.
        probability: The chance with which it was drawn.
        drawn: Whether it was.
        synthetic: The grade that it came with.
        grade: What experts say of its document on the whole, for the words that were drawn; None
            where nobody says it.
        said: One of `SAID`; None where it was not drawn.
        stands: Whether it is active and says what it said at the drawing.
        is_given_up: Whether so many people cannot judge its document that nobody else is asked,
            and of a drawn one no grade stands.
        is_unfinished: Whether it is graded, and wants further grades of the same words.
        is_set_aside: Whether it waits since an analyst has to decide on the whole query.
        is_asked: Whether the queue holds its document, or once will.
    """

    query_id: str
    doc_id: str
    stratum: str
    probability: float
    drawn: bool
    synthetic: int
    grade: int | None
    said: str | None
    stands: bool
    is_given_up: bool
    is_unfinished: bool
    is_set_aside: bool
    is_asked: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of the latest validation that stands.

    Attributes:
        validation_id: Its number.
        created_at: When it was drawn, ISO 8601 in UTC.
        rule: What it must show, as settled then.
        units: All queries that could be drawn.
        later: Active synthetic queries that came after it.
    """

    validation_id: int
    created_at: str
    rule: SynthesisSettings
    units: Sequence[Unit]
    later: int

    def parts(self) -> dict[str, Validation]:
        """query_id -> stratum and chance of each query that could be drawn, drawn or not."""
        return {unit.query_id: Validation(unit.stratum, unit.probability) for unit in self.units}

    def rewritten(self) -> frozenset[str]:
        """Active drawn queries that say something else now: what was graded were other words."""
        return frozenset(u.query_id for u in self.units if u.drawn and not u.stands)


def evidence_of(connection: Connection) -> Evidence | None:
    """What experts have said so far; None where no validation stands."""
    row = latest_validation(connection)
    if row is None:
        return None
    found = units_now(connection, row.validation_id)
    spans = _Spans(row.created_at, rewritings(connection))
    grades = _grades(connection, [unit for unit in found if unit.drawn], spans)
    known = {unit.query_id for unit in found}
    later = sum(source.query_id not in known for source in source_pairs(connection))
    return Evidence(
        row.validation_id,
        row.created_at,
        rule_of(row.parameters),
        [_unit(unit, grades.get(unit.query_id)) for unit in found],
        later,
    )


def rule_of(parameters: Mapping[str, Any]) -> SynthesisSettings:
    """The rule that a validation's parameters hold."""
    return SynthesisSettings(**parameters["rule"])


@dataclass(frozen=True, slots=True)
class _Spans:
    """When each query said what it said at the drawing.

    Attributes:
        drawn_at: When was drawn, ISO 8601 in UTC, as all moments here.
        rewritings: query_id -> when its text was changed, in their order.
    """

    drawn_at: str
    rewritings: Mapping[str, Sequence[str]]

    def holds(self, row: GradeRow) -> bool:
        """Whether the grade is of the words that were drawn.

        One without a time is, where the words never were others.
        """
        moments = self.rewritings.get(row.query_id, ())
        if row.judged_at is None:
            return not moments
        began = max((at for at in moments if at <= self.drawn_at), default="")
        ended = min((at for at in moments if at > self.drawn_at), default="~")
        return began <= row.judged_at < ended


def _grades(connection: Connection, drawn: Iterable[UnitNow], spans: _Spans) -> dict[str, int]:
    """query_id -> what people say of its source document, by majority; decisions win."""
    documents = {unit.query_id: unit.doc_id for unit in drawn}
    rows = grades_and_decisions(connection, documents.keys())
    mine = (
        row
        for row in rows
        if documents[row.query_id] == row.doc_id and _is_of_people(row) and spans.holds(row)
    )
    settled = settle_pairs(mine, "majority", excluded=excluded_raters(connection))
    return {pair.query_id: pair.grade for pair in settled}


def _is_of_people(row: GradeRow) -> bool:
    return row.kind == "human" or is_decision(row)


def _unit(now: UnitNow, grade: int | None) -> Unit:
    is_rewritten = now.text != now.text_then
    return Unit(
        now.query_id,
        now.doc_id,
        now.stratum,
        now.probability,
        bool(now.drawn),
        now.grade,
        grade,
        _said(now, grade) if now.drawn else None,
        stands=now.status == "active" and not is_rewritten,
        is_given_up=grade is None and now.cannot_judges >= now.patience,
        is_unfinished=grade is not None and now.open_slots > 0 and not is_rewritten,
        is_set_aside=bool(now.set_aside),
        is_asked=now.quota != 0,
    )


def _said(now: UnitNow, grade: int | None) -> str:
    if grade is not None:
        return AGREES if grade >= RELEVANT else DISAGREES
    if now.text != now.text_then or now.status != "active":
        return GONE
    return CANNOT_JUDGE if now.cannot_judges >= now.patience else WAITING
