"""One row of a file of judgments: what it says, or why it cannot be taken."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from builder.errors import BuilderError
from builder.importers.rows import Checks, FaultError, Row, Shape, first_given, id_text, shown
from builder.people import clean_name
from builder.spreadsheets import GUARD_COLUMN, GUARD_MARK
from builder.store.adjudications import ADJUDICATED, ADJUDICATOR, TAKEN_BACK
from builder.store.moments import utc_text
from builder.store.staging import StagedJudgment
from evals.qrels import DOC_NAMES, GRADE_NAMES, QUERY_NAMES

JUDGMENTS = Shape(
    "judgments",
    required=(QUERY_NAMES, DOC_NAMES, (*GRADE_NAMES, "outcome")),
    optional=(
        *("rater", "outcome", "comment", "timestamp", "reason", "milliseconds", "kind"),
        *("guidelines_version", "recorded", GUARD_COLUMN),
    ),
    bare={
        3: ("query-id", "corpus-id", "score"),
        4: ("query-id", "iteration", "corpus-id", "score"),
    },
)

OUTCOMES = ("grade", "skip", "cannot_judge", "undone")
"""`undone`: what this rater said of this pair stands no more; a whole log holds such rows."""

DECISIONS = (ADJUDICATED, TAKEN_BACK)
"""Outcomes of rows that no rater gave: an analyst decided on the pair, or took that back."""

KINDS = ("human", "import", "synthetic", "llm")

# A whole number from 0 to 3, as people and programs write it: 2, +2, 02, 2.0
_GRADE = re.compile(r"\+?0*([0-3])(?:\.0*)?", re.ASCII)
_UNDERSTOOD = JUDGMENTS.names | {"iteration"}

LONGEST_STAY = 2**31 - 1
"""Milliseconds that the store can hold, about 25 days."""


def judgment_of(row: Row, checks: Checks) -> StagedJudgment:
    """The judgment in a row.

    Raises:
        FaultError: An id is missing, or a value is none of those allowed.
    """
    cells = row.cells
    outcome, grade = _verdict(cells)
    rater = _rater(cells)
    if outcome in DECISIONS:
        _check_decision(cells, rater)
    kind, milliseconds = cells.get("kind"), _milliseconds(cells.get("milliseconds"))
    ignored = [cells[key] for key in cells.keys() - _UNDERSTOOD]
    ignored.append(None if kind in KINDS or outcome in DECISIONS else kind)
    ignored.append(None if milliseconds is not None else cells.get("milliseconds"))
    ignored.append(None if cells.get(GUARD_COLUMN) == GUARD_MARK else cells.get(GUARD_COLUMN))
    if any(value not in (None, "") for value in ignored):
        checks.notes.add("fields_ignored")
    return StagedJudgment(
        row.file,
        row.line,
        id_text(first_given(cells, QUERY_NAMES), "query-id"),
        id_text(first_given(cells, DOC_NAMES), "corpus-id"),
        rater,
        outcome,
        grade,
        checks.text(_or_empty(cells.get("comment")), "comment"),
        _moment(_given(cells, "timestamp")),
        _kept_raw(row.raw),
        checks.text(_or_empty(cells.get("reason")), "reason"),
        milliseconds,
        kind if kind in KINDS and outcome not in DECISIONS else None,
        _recorded(cells),
    )


def _check_decision(cells: Mapping[str, Any], rater: str | None) -> None:
    """See that a person decided, and that the file says who."""
    if rater is None:
        raise FaultError(
            "bad_adjudicator", "A decision of nobody counts nowhere. Name the analyst as rater."
        )
    if _given(cells, "kind") not in (None, "human", ADJUDICATOR):
        raise FaultError(
            "bad_adjudicator",
            f"kind is {shown(cells['kind'])}, and only people decide on disputed pairs.",
        )


def _or_empty(value: object) -> object:
    return "" if value is None else value


def _milliseconds(value: object) -> int | None:
    """A duration as the store holds it; None if it is none."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(value, str) and value.isascii() and value.strip().isdigit():
        value, whole = int(value[:20]), True
    return value if isinstance(value, int) and whole and 0 <= value <= LONGEST_STAY else None


def _verdict(cells: Mapping[str, Any]) -> tuple[str, int | None]:
    """The outcome and the grade that a row gives."""
    outcome, grade = _given(cells, "outcome"), first_given(cells, GRADE_NAMES)
    is_graded = grade is not None and grade != ""
    if outcome not in (None, *OUTCOMES, *DECISIONS):
        known = ", ".join((*OUTCOMES, *DECISIONS))
        raise FaultError("bad_outcome", f"outcome is {shown(outcome)}, none of {known}.")
    if is_graded and outcome in (None, "grade", ADJUDICATED):
        return str(outcome or "grade"), _grade(grade)
    if is_graded:
        raise FaultError("bad_outcome", f"The row has the outcome {outcome}, and a grade as well.")
    if outcome in (None, "grade", ADJUDICATED):
        raise FaultError(
            "missing_grade",
            "The row has no grade. Without one, its outcome is skip, cannot_judge or undone.",
        )
    return str(outcome), None


def _grade(value: object) -> int:
    written = str(value).strip() if isinstance(value, str | int | float) else ""
    found = _GRADE.fullmatch(written)
    if found is None or isinstance(value, bool):
        raise FaultError(
            "bad_grade",
            f"grade is {shown(value)}, and grades are 0, 1, 2 and 3. Rescale other scales first.",
        )
    return int(found[1])


def _rater(cells: Mapping[str, Any]) -> str | None:
    value = _given(cells, "rater")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise FaultError("bad_rater", f"rater is {shown(value)}, and a name is text.")
    try:
        return clean_name(str(value))
    except BuilderError as error:
        raise FaultError("bad_rater", f"rater is {shown(value)}. {error.message}") from error


def _recorded(cells: Mapping[str, Any]) -> str | None:
    """From when a row counts that has no time of its own."""
    if _given(cells, "timestamp") is not None:
        return None
    return _moment(_given(cells, "recorded"), "recorded")


def _moment(value: object, column: str = "timestamp") -> str | None:
    """The time in UTC, as the store writes it."""
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value.strip() if isinstance(value, str) else "")
    except ValueError as error:
        raise FaultError(
            "bad_timestamp",
            f"{column} is {shown(value)}, and a time is written as 2026-11-30T12:00:00+00:00.",
        ) from error
    if moment.utcoffset() is None:
        raise FaultError(
            "naive_timestamp",
            f"{column} is {shown(value)}, and nobody knows in which time zone. "
            "Write the zone behind it: +00:00, or Z.",
        )
    try:
        return utc_text(moment)
    except OverflowError as error:
        raise FaultError("bad_timestamp", f"{column} is {shown(value)}: no such year.") from error


def _given(cells: Mapping[str, Any], name: str) -> Any:
    """The value, None where it is not there or empty."""
    value = cells.get(name)
    return None if isinstance(value, str) and not value.strip() else value


def _kept_raw(raw: str | bytes) -> str:
    # A half character becomes its escape: no store can hold it.
    told = raw if isinstance(raw, bytes) else raw.encode("utf-8", "backslashreplace")
    return told.decode("utf-8", "backslashreplace")
