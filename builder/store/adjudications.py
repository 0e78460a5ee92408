"""Decisions of analysts on disputed pairs: append-only, and at most one of a pair stands.

A decision is no grade of a rater: it counts in no agreement and fills no quota. Decided anew or
taken back, the row before stays and stands no more.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import uuid4

from sqlalchemy import Connection, Row, Select, Update, bindparam, func, insert, select, update
from sqlalchemy.sql.dml import ReturningInsert

from builder.store.grades import GradeRow, grades_by_query
from builder.store.judgment_imports import IMPORTED
from builder.store.schema import adjudications, documents, guidelines, pairs, people, queries

ADJUDICATOR = "adjudicator"
"""The kind under which a decision stands among grades: no kind of rater."""

ADJUDICATED = "adjudicated"
"""The outcome under which a decision stands among judgments."""

TAKEN_BACK = "adjudication_undone"
"""The outcome of a row of a file that says: from here on no decision of the pair stands."""


@dataclass(frozen=True, slots=True)
class NewDecision:
    """What an analyst decides, or a file says that one decided.

    Attributes:
        pair_id: The pair.
        adjudicator_id: The analyst's person_id.
        grade: 0 to 3.
        reason: Why, "" where a file does not say.
        decided_at: As `moments.utc_text` writes it.
        token: Made once by whoever decides; the store refuses it a second time.
        milliseconds: How long the pair was looked at; None if unknown.
        guidelines_version: Under which guidelines; None if unknown.
    """

    pair_id: int
    adjudicator_id: int
    grade: int
    reason: str
    decided_at: str
    token: str
    milliseconds: int | None = None
    guidelines_version: int | None = None


class Decision(NamedTuple):
    """One decision.

    Attributes:
        adjudication_id: Grows with each decision.
        pair_id: The pair.
        query_id: The query.
        doc_id: The document.
        adjudicator: Who decided; untrusted, as all texts here.
        grade: 0 to 3.
        reason: Why.
        decided_at: ISO 8601 in UTC.
        milliseconds: How long the pair was looked at; None if unknown.
        guidelines_version: Under which guidelines; None if unknown.
        stands: Whether it counts.
        query: The query's text.
        title: The document's title, "" if it has none.
    """

    adjudication_id: int
    pair_id: int
    query_id: str
    doc_id: str
    adjudicator: str
    grade: int
    reason: str
    decided_at: str
    milliseconds: int | None
    guidelines_version: int | None
    stands: bool
    query: str
    title: str


def add_decision(connection: Connection, decision: NewDecision, *, stands: bool = True) -> int:
    """Write a decision; where it stands, the one before stands no more. Gives its id.

    Args:
        connection: Inside a writing transaction.
        decision: What was decided; a version of guidelines that is unknown here becomes none.
        stands: Whether it counts from now on.

    Raises:
        sqlalchemy.exc.IntegrityError: The token is known, the pair or person unknown, or the grade
            not 0 to 3.
    """
    if stands:
        connection.execute(_END, {"pair": decision.pair_id})
    row = {
        "pair_id": decision.pair_id,
        "adjudicator_id": decision.adjudicator_id,
        "grade": decision.grade,
        "reason": decision.reason,
        "decided_at": decision.decided_at,
        "token": decision.token,
        "milliseconds": decision.milliseconds,
        "under": decision.guidelines_version,
        "standing": int(stands),
    }
    return int(connection.execute(_APPEND, row).scalar_one())


def end_decision(connection: Connection, adjudication_id: int) -> bool:
    """Let a decision stand no more; whether it did."""
    mine = adjudications.c.adjudication_id == adjudication_id
    ended = update(adjudications).where(mine, adjudications.c.standing == 1).values(standing=0)
    return connection.execute(ended).rowcount == 1


def carry_decisions(connection: Connection, from_key: int, to_key: int) -> int:
    """Let the decisions on one query's pairs count for another query, and no more for the first.

    Where the other query has a decision on the document already, that one stays, and so does this.

    Args:
        connection: Inside a writing transaction.
        from_key: The store's key of the query whose decisions go.
        to_key: Of the query that gets them; it has a pair with each of their documents.

    Returns:
        How many went over.
    """
    mine, theirs = pairs.alias("mine"), pairs.alias("theirs")
    beside = (theirs.c.doc_key == mine.c.doc_key) & (theirs.c.query_key == to_key)
    chosen = select(adjudications, theirs.c.pair_id.label("to_pair")).select_from(
        adjudications.join(mine, mine.c.pair_id == adjudications.c.pair_id).join(theirs, beside)
    )
    chosen = chosen.where(mine.c.query_key == from_key, adjudications.c.standing == 1)
    decided = decided_pairs(connection)
    going = [row for row in connection.execute(chosen) if row.to_pair not in decided]
    for row in going:
        before = decisions_of_pairs(connection, [row.to_pair]).get(row.to_pair, [])
        # After what was taken back there: of a pair the latest stands, if any does.
        moment = max([row.decided_at, *(decision.decided_at for decision in before)])
        end_decision(connection, row.adjudication_id)
        add_decision(connection, _for_other_pair(row, moment))
    return len(going)


def _for_other_pair(row: Row[Any], moment: str) -> NewDecision:
    return NewDecision(
        row.to_pair,
        row.adjudicator_id,
        row.grade,
        row.reason,
        moment,
        f"{IMPORTED}{uuid4().hex}",
        row.milliseconds,
        row.guidelines_version,
    )


def decision_of_token(connection: Connection, token: str) -> Decision | None:
    """What was decided with this token, or None."""
    return _one(connection, _decisions().where(adjudications.c.token == token))


def decision_of_id(connection: Connection, adjudication_id: int) -> Decision | None:
    """The decision of this id, whether it stands or not; None if there is none."""
    chosen = _decisions().where(adjudications.c.adjudication_id == adjudication_id)
    return _one(connection, chosen)


def standing_decision(connection: Connection, pair_id: int) -> Decision | None:
    """What is decided of the pair, or None."""
    chosen = _decisions().where(adjudications.c.pair_id == pair_id, adjudications.c.standing == 1)
    return _one(connection, chosen)


def latest_decision_by(connection: Connection, adjudicator_id: int) -> Decision | None:
    """The last standing decision that this person made here by a key; None if there is none."""
    chosen = _decisions().where(
        adjudications.c.adjudicator_id == adjudicator_id,
        adjudications.c.standing == 1,
        ~adjudications.c.token.startswith(IMPORTED, autoescape=True),
    )
    return _one(connection, chosen.order_by(adjudications.c.adjudication_id.desc()).limit(1))


def newest_decisions(
    connection: Connection, *, limit: int, before: int | None = None
) -> list[Decision]:
    """Standing decisions, newest first.

    Args:
        connection: Inside a transaction.
        limit: How many at most.
        before: Only those with a smaller adjudication_id: the next page.
    """
    chosen = _decisions().where(adjudications.c.standing == 1)
    if before is not None:
        chosen = chosen.where(adjudications.c.adjudication_id < before)
    chosen = chosen.order_by(adjudications.c.adjudication_id.desc()).limit(limit)
    return [_decision(row) for row in connection.execute(chosen)]


def all_decisions(connection: Connection, *, standing: bool = True) -> list[Decision]:
    """All decisions, by query, document and time; `standing`: only what counts."""
    in_time = (adjudications.c.decided_at, adjudications.c.adjudication_id)
    chosen = _decisions().order_by(queries.c.query_id, documents.c.doc_id, *in_time)
    if standing:
        chosen = chosen.where(adjudications.c.standing == 1)
    return [_decision(row) for row in connection.execute(chosen)]


def decisions_of_pairs(
    connection: Connection, pair_ids: Collection[int]
) -> dict[int, list[Decision]]:
    """pair_id -> all that was ever decided of it, by time, for some hundred pairs."""
    found: defaultdict[int, list[Decision]] = defaultdict(list)
    chosen = _decisions().where(adjudications.c.pair_id.in_(list(pair_ids)))
    in_time = (adjudications.c.decided_at, adjudications.c.adjudication_id)
    for row in connection.execute(chosen.order_by(*in_time)):
        found[row.pair_id].append(_decision(row))
    return dict(found)


def standing_of_pairs(connection: Connection, pair_ids: Collection[int]) -> dict[int, Decision]:
    """pair_id -> what is decided of it, for some hundred pairs."""
    chosen = _decisions().where(
        adjudications.c.pair_id.in_(list(pair_ids)), adjudications.c.standing == 1
    )
    return {row.pair_id: _decision(row) for row in connection.execute(chosen)}


def decided_pairs(connection: Connection) -> set[int]:
    """The pair_id of every pair on which a decision stands."""
    chosen = select(adjudications.c.pair_id).where(adjudications.c.standing == 1)
    return set(connection.execute(chosen).scalars())


def count_decisions(connection: Connection) -> int:
    """How many decisions stand."""
    chosen = select(func.count()).select_from(adjudications).where(adjudications.c.standing == 1)
    return connection.execute(chosen).scalar_one()


def grades_and_decisions(
    connection: Connection, query_ids: Collection[str] | None = None
) -> Iterator[GradeRow]:
    """`current_grades` with each standing decision among them; memory stays flat.

    A decision is a row of the kind and outcome of an adjudicator; it comes with the other rows of
    its pair, and also where none is left. Ordered by query_id and doc_id.

    Args:
        connection: Inside a transaction.
        query_ids: Only these queries; None: all.
    """
    decided: defaultdict[str, list[GradeRow]] = defaultdict(list)
    for decision in all_decisions(connection):
        decided[decision.query_id].append(as_grade_row(decision))
    for query_id, rows in grades_by_query(connection, query_ids):
        more = decided.get(query_id)
        yield from sorted([*rows, *more], key=lambda row: row.doc_id) if more else rows


def as_grade_row(decision: Decision) -> GradeRow:
    """A decision as a row among grades."""
    return GradeRow(
        decision.query_id,
        decision.doc_id,
        decision.adjudicator,
        ADJUDICATOR,
        ADJUDICATED,
        decision.grade,
        decision.reason,
        decision.decided_at,
    )


def excluded_raters(connection: Connection) -> dict[str, str]:
    """Name -> why this rater's grades are left out of aggregation, in alphabetical order."""
    chosen = select(people.c.name, people.c.excluded_reason).order_by(people.c.name)
    chosen = chosen.where(people.c.excluded_at.is_not(None))
    return {name: reason or "" for name, reason in connection.execute(chosen)}


def lock_pair(connection: Connection, pair_id: int) -> bool:
    """Let nobody else decide on the pair until this transaction ends; whether there is such one.

    SQLite has one writer anyhow; elsewhere the row of the pair is locked.
    """
    chosen = select(pairs.c.pair_id).where(pairs.c.pair_id == pair_id).with_for_update()
    return connection.execute(chosen).one_or_none() is not None


def _one(connection: Connection, chosen: Select[Any]) -> Decision | None:
    row = connection.execute(chosen).one_or_none()
    return None if row is None else _decision(row)


def _decision(row: Row[Any]) -> Decision:
    decision = Decision._make(row)
    return decision._replace(stands=bool(decision.stands))


def _decisions() -> Select[Any]:
    mine = adjudications.c
    columns: Sequence[Any] = (
        *(mine.adjudication_id, mine.pair_id, queries.c.query_id, documents.c.doc_id),
        *(people.c.name, mine.grade, mine.reason, mine.decided_at, mine.milliseconds),
        *(mine.guidelines_version, mine.standing, queries.c.text, documents.c.title),
    )
    joined = (
        adjudications.join(pairs, pairs.c.pair_id == mine.pair_id)
        .join(queries, queries.c.query_key == pairs.c.query_key)
        .join(documents, documents.c.doc_key == pairs.c.doc_key)
        .join(people, people.c.person_id == mine.adjudicator_id)
    )
    chosen: Select[Any] = select(*columns).select_from(joined)
    return chosen


def _end() -> Update:
    of_pair = update(adjudications).where(adjudications.c.pair_id == bindparam("pair"))
    return of_pair.where(adjudications.c.standing == 1).values(standing=0)


def _appended() -> ReturningInsert[int]:
    known = select(guidelines.c.version).where(guidelines.c.version == bindparam("under"))
    appended = insert(adjudications).values(guidelines_version=known.scalar_subquery())
    return appended.returning(adjudications.c.adjudication_id)


_END = _end()
_APPEND = _appended()
