"""Disputed pairs: which wait for an analyst, what the raters said, and what was decided.

A decision is a row of its own, made by a key and a reason. The raters' grades stay as they are; the
decision wins over them in aggregation. Each decision is also written into the activity log: the
table of decisions says who decided what, but not who took it back, and when.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, NamedTuple, TypeAlias

from builder.errors import BuilderError
from builder.judging.agreement.disagreements import RELEVANT, WIDE
from builder.judging.outcomes import LONGEST_REASON, check_given, check_token
from builder.judging.trust import trust_report
from builder.people import Person
from builder.people.roles import authorized
from builder.store import Connection, shown
from builder.store import adjudications as table
from builder.store.activity import note
from builder.store.adjudications import Decision, NewDecision
from builder.store.disputes import (
    Opinion,
    opinions_of_pair,
    places_of_pairs,
    spreads,
)
from builder.store.moments import utc_text
from builder.store.people import find_person
from builder.store.trust_marks import count_grades_of_people
from builder.workspace import Workspace
from evals.records import Document, Query

__all__ = [
    "LONGEST_REASON",
    "REASONS",
    "Decided",
    "Decision",
    "DecisionsPage",
    "Dispute",
    "Opinion",
    "Waiting",
    "count_decided",
    "decide",
    "decisions",
    "dispute_of",
    "is_disputed",
    "undo_decision",
    "undoable",
    "waiting",
]

PAGE = 25
"""Decisions on one page."""

MANY = 100_000
"""With more grades of people than this the report of trust says which pairs are disputed."""

REASONS = (
    "guideline applied",
    "document misread",
    "need misread",
    "need is ambiguous",
)
"""Usual reasons. They name nobody, so that a release may tell how often each was given."""

Status: TypeAlias = Literal["saved", "repeated", "decided_before"]


class Waiting(NamedTuple):
    """A disputed pair on which nobody has decided.

    Attributes:
        pair_id: The pair.
        query_id: The query.
        doc_id: The document.
        low: The lowest grade of a rater who counts.
        high: The highest.
        n: How many raters who count graded it.
        touches: Of how many models the top ten holds it.
    """

    pair_id: int
    query_id: str
    doc_id: str
    low: int
    high: int
    n: int
    touches: int = 0


@dataclass(frozen=True, slots=True)
class Dispute:
    """A pair as the one who decides sees it, fresh from the store.

    Attributes:
        pair_id: The pair.
        query: The query; where it came from is not said.
        document: The document.
        opinions: What people and imported files say of it now, the lowest grade first; no names.
        decision: What stands of an adjudicator; None if nothing.
        is_disputed: Whether the grades that count differ so far that somebody should decide.
        retired: Whether the query is retired, and nobody has to decide any more.
        own: The grade of the one who looks; None if that person gave none.
    """

    pair_id: int
    query: Query
    document: Document
    opinions: Sequence[Opinion]
    decision: Decision | None
    is_disputed: bool
    retired: bool
    own: int | None

    @property
    def waits(self) -> bool:
        """Whether somebody should decide now."""
        return self.is_disputed and self.decision is None and not self.retired


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of a decision.

    Attributes:
        status: `saved`: committed. `repeated`: the same submit came before, and this is what it
            wrote. `decided_before`: somebody decided meanwhile; nothing was changed.
        decision: What stands of the pair; after `repeated` what the submit wrote, whether it still
            stands or not.
    """

    status: Status
    decision: Decision


@dataclass(frozen=True, slots=True)
class DecisionsPage:
    """Some decisions, newest first.

    Attributes:
        decisions: At most 25; texts are untrusted.
        older: Where the next page begins, for `before`; None on the last one.
    """

    decisions: Sequence[Decision]
    older: int | None


def waiting(
    workspace: Workspace, touched: Mapping[tuple[str, str], int] | None = None
) -> list[Waiting]:
    """The disputed pairs that wait for a decision, the most urgent first.

    First come those that the top ten of most models hold, then the widest spread; what is as urgent
    comes query by query, so that a need is read once. Pairs of retired queries do not wait.

    Args:
        workspace: Where they lie.
        touched: (query_id, doc_id) -> of how many models the top ten holds the pair.
    """
    touched = touched or {}
    found = disputed_pairs(workspace)
    with workspace.store.read() as connection:
        decided = table.decided_pairs(connection)
        places = places_of_pairs(connection, [pair for pair in found if pair not in decided])
    rows = [
        Waiting(pair_id, query_id, doc_id, *found[pair_id], touched.get((query_id, doc_id), 0))
        for pair_id, (query_id, doc_id, retired) in places.items()
        if not retired
    ]
    return sorted(rows, key=_urgency)


def disputed_pairs(workspace: Workspace) -> dict[int, tuple[int, int, int]]:
    """pair_id -> lowest grade, highest grade, number of grades, of pairs that are disputed.

    Of many grades it is what the report of trust found, which may be some minutes old: who shows a
    pair looks at it anew. Few are looked through at once.
    """
    with workspace.store.read() as connection:
        few = count_grades_of_people(connection, MANY + 1) <= MANY
        if few:
            return spreads(connection, wide=WIDE, relevant=RELEVANT)
    report = trust_report(workspace).report
    if report is None:  # the first one is being computed
        with workspace.store.read() as connection:
            return spreads(connection, wide=WIDE, relevant=RELEVANT)
    rows = report["disagreements"]
    return {
        row["pair_id"]: (row["low"], row["high"], row["n"])
        for row in rows
        if is_disputed([row["low"], row["high"]])
    }


def is_disputed(grades: Sequence[int]) -> bool:
    """Whether somebody should decide: a spread of two or more, or 0 or 1 against 2 or 3."""
    if not grades:
        return False
    low, high = min(grades), max(grades)
    return high - low >= WIDE or low < RELEVANT <= high


def dispute_of(workspace: Workspace, pair_id: int, person: Person | None = None) -> Dispute | None:
    """The pair as it is now, disputed or not; None if there is no such pair.

    Args:
        workspace: Where it lies.
        pair_id: The pair.
        person: Who looks: their own grade is told as theirs.
    """
    with workspace.store.read() as connection:
        found = shown.shown_pair(connection, pair_id)
        if found is None:
            return None
        own_id = None if person is None else person.person_id
        opinions = opinions_of_pair(connection, pair_id, own_id)
        return Dispute(
            pair_id,
            found.query,
            found.document,
            opinions,
            table.standing_decision(connection, pair_id),
            is_disputed([o.grade for o in opinions if o.counts and o.grade is not None]),
            places_of_pairs(connection, [pair_id])[pair_id].retired,
            next((o.grade for o in opinions if o.own), None),
        )


def decide(  # noqa: PLR0913 - all of them belong to one press of a key
    workspace: Workspace,
    actor: Person,
    pair_id: int,
    grade: int,
    reason: str,
    *,
    token: str,
    milliseconds: int | None = None,
    guidelines_version: int | None = None,
    instead_of: int | None = None,
    now: datetime | None = None,
) -> Decided:
    """Decide which grade the pair has; when this returns, it is committed.

    Of two who decide at once the first stands, and the second is told: a decision that stands is
    replaced only by one that names it.

    Args:
        workspace: Where the pair lies.
        actor: Who decides, at least an analyst; may have graded the pair.
        pair_id: The pair; it need not be disputed.
        grade: 0 to 3.
        reason: Why; not blank, at most 500 characters. The raters of the pair read it.
        token: Made once for each showing of a pair: the same submit again changes nothing.
        milliseconds: How long the pair was looked at; None if unknown.
        guidelines_version: Under which guidelines; None if unknown.
        instead_of: The adjudication_id of the decision that is to be replaced.
        now: When it is decided; default: this moment.

    Raises:
        NotAllowedError: The actor is no analyst.
        BuilderError: The grade is not 0 to 3, the pair unknown, or the reason or token unfit.
    """
    if type(grade) is not int or not 0 <= grade <= 3:
        raise BuilderError(f"a grade is 0, 1, 2 or 3, not {grade!r}")
    check_given(reason)
    check_token(token)
    moment = utc_text(now or datetime.now(UTC))
    with workspace.store.write() as connection:
        person = _analyst(connection, actor)
        if not table.lock_pair(connection, pair_id):
            raise BuilderError(f"there is no pair {pair_id} in this workspace", hint="reload it")
        new = NewDecision(
            pair_id,
            person.person_id,
            grade,
            reason,
            moment,
            token,
            milliseconds,
            guidelines_version,
        )
        return _record(connection, person, new, instead_of)


def undo_decision(
    workspace: Workspace, actor: Person, adjudication_id: int | None = None
) -> Decision | None:
    """Take a decision back: the pair waits again, if it is still disputed.

    Args:
        workspace: Where it lies.
        actor: Who takes it back, at least an analyst.
        adjudication_id: Anybody's decision; default: the last one that the actor made by a key and
            that stands.

    Returns:
        What was taken back; None if there is nothing, or it stands no more anyhow.

    Raises:
        NotAllowedError: The actor is no analyst.
    """
    with workspace.store.write() as connection:
        person = _analyst(connection, actor)
        if adjudication_id is None:
            meant = table.latest_decision_by(connection, person.person_id)
        else:
            meant = table.decision_of_id(connection, adjudication_id)
        if meant is None or not table.end_decision(connection, meant.adjudication_id):
            return None
        _note(connection, person, "adjudication.undo", meant)
        return meant._replace(stands=False)


def decisions(workspace: Workspace, before: int | None = None) -> DecisionsPage:
    """The decisions that stand, newest first, a page of them; `before`: `older` of the last one."""
    with workspace.store.read() as connection:
        found = table.newest_decisions(connection, limit=PAGE + 1, before=before)
    kept = found[:PAGE]
    return DecisionsPage(kept, kept[-1].adjudication_id if len(found) > PAGE else None)


def count_decided(workspace: Workspace) -> int:
    """How many decisions stand."""
    with workspace.store.read() as connection:
        return table.count_decisions(connection)


def undoable(workspace: Workspace, person: Person) -> bool:
    """Whether a decision stands that this person made by a key."""
    with workspace.store.read() as connection:
        return table.latest_decision_by(connection, person.person_id) is not None


def _urgency(row: Waiting) -> tuple[int, int, str, str]:
    return -row.touches, row.low - row.high, row.query_id, row.doc_id


def _analyst(connection: Connection, actor: Person) -> Person:
    authorized(connection, actor, "analyst")
    person = find_person(connection, actor.name)
    if person is None:
        raise LookupError(f"{actor.name!r} was authorized and is not there")
    return person


def _record(
    connection: Connection, person: Person, new: NewDecision, instead_of: int | None
) -> Decided:
    """Write the decision, unless it was written before or another one stands."""
    known = table.decision_of_token(connection, new.token)
    if known is not None:
        return Decided("repeated", _refused_other(known, new.pair_id, person))
    log = table.decisions_of_pairs(connection, [new.pair_id]).get(new.pair_id, [])
    before = next((decision for decision in log if decision.stands), None)
    if before is not None and before.adjudication_id != instead_of:
        return Decided("decided_before", before)
    # After what it follows, even if the clock went back: files are read in order of time.
    moment = max([new.decided_at, *(decision.decided_at for decision in log)])
    table.add_decision(connection, replace(new, decided_at=moment))
    decision = _standing(connection, new.pair_id)
    _note(connection, person, "adjudication.decide", decision, before)
    return Decided("saved", decision)


def _refused_other(known: Decision, pair_id: int, person: Person) -> Decision:
    if (known.pair_id, known.adjudicator) != (pair_id, person.name):
        raise BuilderError("this token belongs to another decision", hint="reload the page")
    return known


def _standing(connection: Connection, pair_id: int) -> Decision:
    decision = table.standing_decision(connection, pair_id)
    if decision is None:
        raise LookupError(f"what was decided of pair {pair_id} is not there")
    return decision


def _note(
    connection: Connection,
    person: Person,
    action: str,
    decision: Decision,
    before: Decision | None = None,
) -> None:
    told = {"doc_id": decision.doc_id, "grade": decision.grade, "reason": decision.reason}
    if decision.adjudicator != person.name:
        told["decided_by"] = decision.adjudicator
    if before is not None:
        told["instead_of"] = {"grade": before.grade, "decided_by": before.adjudicator}
    note(connection, person.name, action, decision.query_id, told)
