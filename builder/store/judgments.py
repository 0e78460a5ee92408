"""Judgments: append-only; whatever a rater changes is a new row, and nothing is ever lost.

The current judgment of a rater on a pair is the latest by the time at which it was judged (where an
import did not say, at which it was recorded), then by its place in the log. `current_judgments` and
`pairs.human_grades` are kept in the transaction that writes the row.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, insert, select
from sqlalchemy.sql.dml import ReturningInsert

from builder.store.current import Current, effective_time, set_current
from builder.store.grades import (
    GradeRow,
    JudgmentCounts,
    RawJudgment,
    count_judgments,
    current_grades,
    raw_judgments,
)
from builder.store.judgment_imports import (
    IMPORTED,
    ImportedJudgment,
    import_judgments_batch,
)
from builder.store.moments import now_text, utc_text
from builder.store.schema import current_judgments, guidelines, judgments

__all__ = [
    "IMPORTED",
    "GradeRow",
    "ImportedJudgment",
    "JudgmentCounts",
    "NewJudgment",
    "RawJudgment",
    "Recorded",
    "count_judgments",
    "current_grades",
    "import_judgments_batch",
    "knows_token",
    "latest_standing",
    "outcome_before",
    "raw_judgments",
    "record_judgment",
    "standing_judgment",
    "undo_latest",
]


@dataclass(frozen=True, slots=True)
class NewJudgment:
    """What a rater submits.

    Attributes:
        pair_id: The pair.
        rater_id: The rater's person_id.
        outcome: grade, skip, cannot_judge or undone.
        token: Made once by whoever submits; the same token again changes nothing.
        grade: 0 to 3 with the outcome grade, else None.
        comment: What the rater wrote.
        milliseconds: How long the rater looked at the pair; None if unknown.
        reason: Why the rater skips or cannot judge, "" if not said.
        guidelines_version: Under which guidelines it was made; None if unknown.
    """

    pair_id: int
    rater_id: int
    outcome: str
    token: str
    grade: int | None = None
    comment: str = ""
    milliseconds: int | None = None
    reason: str = ""
    guidelines_version: int | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """The row that stands for what was submitted.

    Attributes:
        judgment_id: Its place in the log.
        pair_id: The pair.
        outcome: grade, skip, cannot_judge or undone.
        grade: 0 to 3, or None.
        repeated: Whether the token was known: then this is the first submission, and no row was
            written.
    """

    judgment_id: int
    pair_id: int
    outcome: str
    grade: int | None
    repeated: bool


def record_judgment(
    connection: Connection, judgment: NewJudgment, now: datetime | None = None
) -> Recorded:
    """Write the judgment, which stands from now on, or return what its token wrote before.

    It is timed after the one it replaces even if the clock went back or an import came from the
    future: what a rater says last is what stands.

    Args:
        connection: Inside a writing transaction.
        judgment: What was submitted.
        now: When it was judged; default: this moment.

    Raises:
        ValueError: The token belongs to another pair or rater.
        sqlalchemy.exc.IntegrityError: The pair or rater is unknown, or the grade not 0 to 3.
    """
    first = connection.execute(_BY_TOKEN, {"token": judgment.token}).one_or_none()
    if first is not None:
        return _repeated(first, judgment)
    standing = standing_judgment(connection, judgment.pair_id, judgment.rater_id)
    moment = now_text() if now is None else utc_text(now)
    if standing is not None:
        moment = max(moment, standing.moment)
    judgment_id = _append(connection, judgment, moment)
    stands = [Current(judgment.pair_id, judgment.rater_id, judgment_id, judgment.outcome)]
    if standing is None:
        set_current(connection, new=stands, changed=[])
    else:
        set_current(connection, new=[], changed=stands)
    return Recorded(judgment_id, judgment.pair_id, judgment.outcome, judgment.grade, repeated=False)


def knows_token(connection: Connection, token: str) -> bool:
    """Whether something was submitted with this token before."""
    return connection.execute(_BY_TOKEN, {"token": token}).one_or_none() is not None


def standing_judgment(connection: Connection, pair_id: int, rater_id: int) -> Row[Any] | None:
    """What the rater says now of the pair (judgment_id, outcome, grade, moment), or None."""
    return connection.execute(_STANDING, {"pair": pair_id, "rater": rater_id}).one_or_none()


def undo_latest(
    connection: Connection, rater_id: int, token: str, now: datetime | None = None
) -> Recorded | None:
    """Take back what the rater submitted last and has not taken back yet; None if there is nothing.

    The pair is open for the rater again. Imported judgments are not undone: nobody pressed a key
    for them.

    Args:
        connection: Inside a writing transaction.
        rater_id: The rater's person_id.
        token: Of this undo; the same token again undoes nothing more.
        now: When it was undone; default: this moment.
    """
    first = connection.execute(_BY_TOKEN, {"token": token}).one_or_none()
    if first is not None:
        return _repeated(first, NewJudgment(first.pair_id, rater_id, "undone", token))
    latest = latest_standing(connection, rater_id)
    if latest is None:
        return None
    return record_judgment(connection, NewJudgment(latest.pair_id, rater_id, "undone", token), now)


def latest_standing(connection: Connection, rater_id: int) -> Row[Any] | None:
    """What the rater submitted last and has not taken back (pair_id, outcome, recorded_at).

    Imported judgments are passed over: nobody pressed a key for them.
    """
    return connection.execute(_LATEST, {"rater": rater_id}).one_or_none()


def outcome_before(connection: Connection, undone: Recorded) -> str:
    """What the row `undone` of the log took back: grade, skip or cannot_judge."""
    return str(connection.execute(_BEFORE, {"undone": undone.judgment_id}).scalar_one())


def _append(connection: Connection, judgment: NewJudgment, moment: str) -> int:
    row = {
        "pair_id": judgment.pair_id,
        "rater_id": judgment.rater_id,
        "outcome": judgment.outcome,
        "grade": judgment.grade,
        "comment": judgment.comment,
        "judged_at": moment,
        "recorded_at": moment,
        "milliseconds": judgment.milliseconds,
        "token": judgment.token,
        "reason": judgment.reason,
        "under": judgment.guidelines_version,
    }
    return int(connection.execute(_APPEND, row).scalar_one())


def _appended() -> ReturningInsert[int]:
    # Unknown guidelines are none: a backup may have been restored since the page was drawn, and
    # no grade is refused for that.
    known = select(guidelines.c.version).where(guidelines.c.version == bindparam("under"))
    appended = insert(judgments).values(guidelines_version=known.scalar_subquery())
    return appended.returning(judgments.c.judgment_id)


def _repeated(first: Row[Any], judgment: NewJudgment) -> Recorded:
    if (first.pair_id, first.rater_id) != (judgment.pair_id, judgment.rater_id):
        raise ValueError(f"token {judgment.token!r} belongs to another pair or rater")
    return Recorded(first.judgment_id, first.pair_id, first.outcome, first.grade, repeated=True)


def _standing() -> Select[Any]:
    joined = current_judgments.join(
        judgments, judgments.c.judgment_id == current_judgments.c.judgment_id
    )
    columns = (judgments.c.judgment_id, judgments.c.outcome, judgments.c.grade)
    chosen: Select[Any] = select(*columns, effective_time().label("moment")).select_from(joined)
    return chosen.where(
        current_judgments.c.pair_id == bindparam("pair"),
        current_judgments.c.rater_id == bindparam("rater"),
    )


def _latest() -> Select[Any]:
    # By its key: a search for the judgment_id alone would look through the whole table.
    stands = (
        (current_judgments.c.pair_id == judgments.c.pair_id)
        & (current_judgments.c.rater_id == judgments.c.rater_id)
        & (current_judgments.c.judgment_id == judgments.c.judgment_id)
    )
    joined = judgments.join(current_judgments, stands)
    columns = (judgments.c.pair_id, judgments.c.outcome, judgments.c.recorded_at)
    chosen: Select[Any] = select(*columns).select_from(joined)
    chosen = chosen.where(
        judgments.c.rater_id == bindparam("rater"),
        judgments.c.outcome != "undone",
        ~judgments.c.token.startswith(IMPORTED, autoescape=True),
    )
    return chosen.order_by(judgments.c.judgment_id.desc()).limit(1)


def _before() -> Select[Any]:
    undone, mine = judgments.alias("undone"), judgments.c
    same = (mine.pair_id == undone.c.pair_id) & (mine.rater_id == undone.c.rater_id)
    chosen: Select[Any] = select(mine.outcome).select_from(judgments.join(undone, same))
    chosen = chosen.where(
        undone.c.judgment_id == bindparam("undone"),
        mine.judgment_id < undone.c.judgment_id,
        mine.outcome != "undone",
    )
    return chosen.order_by(mine.judgment_id.desc()).limit(1)


_BEFORE = _before()
_BY_TOKEN: Select[Any] = select(judgments).where(judgments.c.token == bindparam("token"))
_APPEND = _appended()
_STANDING = _standing()
_LATEST = _latest()
