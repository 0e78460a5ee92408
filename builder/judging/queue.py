"""The queue: which pair a rater sees next, and what becomes of what the rater says of it.

Grouped by query, so that an information need is read once; within a query in an order of the
rater's own that says nothing of ranks; never the same pair twice; at most as many raters a pair as
the workspace asks for. A pair shows the query and the document and nothing that could sway:
no rank, score, source, or grade of anybody else.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Literal, TypeAlias
from uuid import uuid4

from builder.errors import BuilderError, NotAllowedError
from builder.judging.counts import count_left, query_place
from builder.store import Connection, Store, queue
from builder.store.judgments import (
    IMPORTED,
    NewJudgment,
    knows_token,
    record_judgment,
    standing_judgment,
    undo_latest,
)
from builder.store.people import Person, find_person
from builder.store.queue import Seeker
from builder.workspace import Workspace
from evals.records import Document, Query

LONGEST_TOKEN = 64
LONGEST_COMMENT = 10_000
PAUSE = timedelta(minutes=30)
"""Whoever judges nothing for so long begins a new sitting."""

LONGEST_SITTING = 500

Status: TypeAlias = Literal["saved", "repeated", "already_graded"]
What: TypeAlias = Literal["grade", "skip", "cannot_judge", "unclear", "out_of_scope"]
QueryOutcome: TypeAlias = Literal["unclear", "out_of_scope"]


@dataclass(frozen=True, slots=True)
class Standing:
    """What a rater says now of a pair.

    Attributes:
        judgment_id: The row of the log in which it stands.
        outcome: grade, skip or cannot_judge.
        grade: 0 to 3; None unless the outcome is grade.
        comment: What the rater wrote, "" if nothing.
        reason: Why the rater skipped or cannot judge, "" if not said.
        moment: When, ISO 8601 in UTC.
    """

    judgment_id: int
    outcome: str
    grade: int | None
    comment: str
    reason: str
    moment: str


@dataclass(frozen=True, slots=True)
class Filters:
    """Which part of the pool a rater works through.

    Attributes:
        tag: Only queries with exactly this tag; None: all.
    """

    tag: str | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """One query and one document to be graded.

    Attributes:
        pair_id: Names the pair when its grade is submitted.
        query: The query; where it came from is not said.
        document: The document.
        query_position: Which one the query is in this workspace, from 1.
        n_queries: How many queries have pairs.
        left_in_query: How many pairs of this query the rater can grade now, this one included.
        own: What this rater says of it now; None if nothing.
    """

    pair_id: int
    query: Query
    document: Document
    query_position: int
    n_queries: int
    left_in_query: int
    own: Standing | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back.

    Attributes:
        what: grade, skip, cannot_judge, unclear or out_of_scope.
        pair: The pair, open for the rater again; None where it needs no grade any more, or what
            was taken back was said of a whole query.
        query_id: The query.
    """

    what: What
    pair: Pair | None
    query_id: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a submitted judgment.

    Attributes:
        status: `saved`: committed. `repeated`: the same submit came before, and its outcome is
            this. `already_graded`: this rater graded the pair before, say in another tab; nothing
            was changed.
        pair_id: The pair.
        grade: The rater's grade of it that stands, 0 to 3; None after a skip.
        judgment_id: The row of the log in which it stands.
    """

    status: Status
    pair_id: int
    grade: int | None
    judgment_id: int


@dataclass(frozen=True, slots=True)
class GradingProgress:
    """How far a rater is, in pairs.

    Attributes:
        graded: Pairs with a standing grade of this rater.
        skipped: Pairs put off for later.
        cannot_judge: Pairs that this rater cannot judge.
        left: Pairs that this rater can still grade, skipped ones included.
        total: graded + left.
        sitting: Grades of this sitting, which ends with half an hour without any.
        seconds_a_pair: Median time from one judgment of this sitting to the next; None with fewer
            than two judgments.
    """

    graded: int
    skipped: int
    cannot_judge: int
    left: int
    total: int
    sitting: int
    seconds_a_pair: float | None


def next_pair(
    workspace: Workspace,
    rater: str,
    filters: Filters = Filters(),  # noqa: B008 - frozen
    *,
    wanted: int | None = None,
    now: datetime | None = None,
) -> Pair | None:
    """The pair that the rater grades next; None if nothing is left for this rater.

    First a pair that was just taken back; then the open pairs of the query in hand; then those of
    the queries after it, going round; at last what the rater skipped, the longest ago first.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
    """
    with workspace.store.read() as connection:
        person = _grading_person(connection, rater)
        seeker = Seeker(person.person_id, workspace.settings.raters_per_pair)
        if wanted is not None:
            _check_pair(connection, wanted)
        pair_id = _sought(connection, seeker) if wanted is None else wanted
        return None if pair_id is None else _shown(workspace.store, connection, seeker, pair_id)


def submit_grade(  # noqa: PLR0913 - all of them belong to one press of a key
    workspace: Workspace,
    rater: str,
    pair_id: int,
    grade: int,
    *,
    token: str,
    comment: str = "",
    milliseconds: int | None = None,
    now: datetime | None = None,
    edit: bool = False,
    guidelines_version: int | None = None,
) -> Outcome:
    """Record the rater's grade; when this returns, it is committed.

    Args:
        workspace: Where the pair lies.
        rater: The rater's name.
        pair_id: The pair, as `next_pair` gave it.
        grade: 0 to 3.
        token: Made once for each showing of a pair: the same submit again changes nothing.
        comment: What the rater wrote.
        milliseconds: How long the pair was looked at; None if unknown.
        now: When it was graded; default: this moment.
        edit: Whether an earlier grade of this rater is meant to be replaced.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
        BuilderError: The grade is not 0 to 3, the pair unknown, or the comment or token unfit.
    """
    if type(grade) is not int or not 0 <= grade <= 3:
        raise BuilderError(f"a grade is 0, 1, 2 or 3, not {grade!r}")
    _check_comment(comment)
    _check_token(token)
    with workspace.store.write() as connection:
        rater_id = _grading_person(connection, rater).person_id
        judgment = NewJudgment(pair_id, rater_id, "grade", token, grade, comment, milliseconds)
        return _record(connection, judgment, now, edit=edit)


def skip(
    workspace: Workspace,
    rater: str,
    pair_id: int,
    *,
    token: str,
    reason: str = "",
    milliseconds: int | None = None,
    now: datetime | None = None,
) -> Outcome:
    """Put the pair off: it comes again when nothing else is left, and counts for nobody's quota.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
        BuilderError: The pair is unknown, or the token unfit.
    """
    _check_token(token)
    with workspace.store.write() as connection:
        rater_id = _grading_person(connection, rater).person_id
        judgment = NewJudgment(pair_id, rater_id, "skip", token, milliseconds=milliseconds)
        return _record(connection, judgment, now, edit=False)


def cannot_judge(  # noqa: PLR0913 - all of them belong to one press of a key
    workspace: Workspace,
    rater: str,
    pair_id: int,
    reason: str,
    *,
    token: str,
    comment: str = "",
    milliseconds: int | None = None,
    now: datetime | None = None,
) -> Outcome:
    """Say that this rater cannot judge the pair, and why: the next one is asked."""
    _check_comment(comment)
    _check_token(token)
    with workspace.store.write() as connection:
        rater_id = _grading_person(connection, rater).person_id
        judgment = NewJudgment(
            pair_id, rater_id, "cannot_judge", token, None, comment, milliseconds
        )
        return _record(connection, judgment, now, edit=False)


def flag_query(  # noqa: PLR0913 - all of them belong to one press of a key
    workspace: Workspace,
    rater: str,
    query_id: str,
    outcome: QueryOutcome,
    reason: str,
    *,
    token: str,
    now: datetime | None = None,
) -> None:
    """Say that a whole query is unclear or out of scope, and why: this rater sees no more of it."""
    raise NotImplementedError


def query_pairs(
    workspace: Workspace, rater: str, query_id: str, now: datetime | None = None
) -> list[Pair]:
    """All pairs of the query that this rater may grade or has judged, in the rater's own order."""
    raise NotImplementedError


def next_query_id(
    workspace: Workspace, rater: str, filters: Filters, after: str | None = None
) -> str | None:
    """The query that comes next for this rater; None if nothing is left."""
    pair = next_pair(workspace, rater, filters)
    return None if pair is None else pair.query.query_id


def renew_leases(
    workspace: Workspace, rater: str, *, active_at: datetime, now: datetime | None = None
) -> int:
    """Keep what is on this rater's screen for the rater; how many pairs."""
    return 0


def tags_with_pairs(workspace: Workspace) -> list[tuple[str, int]]:
    """The tags of queries that have pairs, each with its number of queries."""
    return []


def undo_last(
    workspace: Workspace, rater: str, *, token: str | None = None, now: datetime | None = None
) -> Undone | None:
    """Take back what the rater submitted last and has not taken back; None if there is nothing.

    Args:
        workspace: Where the grade lies.
        rater: The rater's name.
        token: Of this undo: the same one again undoes nothing more. Default: a new one.
        now: When it was undone; default: this moment.

    Returns:
        The pair, open for the rater again; `next_pair` gives it first.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
        BuilderError: The token is unfit.
    """
    chosen = uuid4().hex if token is None else token
    _check_token(chosen)
    with workspace.store.write() as connection:
        person = _grading_person(connection, rater)
        undone = undo_latest(connection, person.person_id, chosen, now)
        if undone is None:
            return None
        seeker = Seeker(person.person_id, workspace.settings.raters_per_pair)
        pair = _shown(workspace.store, connection, seeker, undone.pair_id)
        return Undone("grade", pair, pair.query.query_id)


def progress_of(
    workspace: Workspace,
    rater: str,
    filters: Filters = Filters(),  # noqa: B008 - frozen
    now: datetime | None = None,
) -> GradingProgress:
    """How far the rater is, in this sitting and in the whole.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
    """
    with workspace.store.read() as connection:
        person = _grading_person(connection, rater)
        own = queue.count_own(connection, person.person_id)
        seeker = Seeker(person.person_id, workspace.settings.raters_per_pair)
        left = count_left(workspace.store, connection, seeker, own)
        lately = queue.judged_lately(connection, person.person_id, LONGEST_SITTING)
    sitting = _of_this_sitting(lately, now or datetime.now(UTC))
    return GradingProgress(
        graded=own.graded,
        skipped=own.skipped,
        cannot_judge=own.cannot_judge,
        left=left,
        total=own.graded + left,
        sitting=sum(stands for _, stands in sitting),
        seconds_a_pair=_pace([moment for moment, _ in sitting]),
    )


def _record(
    connection: Connection, judgment: NewJudgment, now: datetime | None, *, edit: bool
) -> Outcome:
    """Record the judgment, unless the pair has a grade of this rater and this is no edit."""
    _check_pair(connection, judgment.pair_id)
    stands = standing_judgment(connection, judgment.pair_id, judgment.rater_id)
    is_new = not edit and not knows_token(connection, judgment.token)
    if is_new and stands is not None and stands.outcome == "grade":
        return Outcome("already_graded", judgment.pair_id, stands.grade, stands.judgment_id)
    recorded = record_judgment(connection, judgment, now)
    status: Status = "repeated" if recorded.repeated else "saved"
    return Outcome(status, recorded.pair_id, recorded.grade, recorded.judgment_id)


def _grading_person(connection: Connection, rater: str) -> Person:
    person = find_person(connection, rater)
    if person is None or person.kind != "human":
        raise NotAllowedError(
            f"Nobody called {rater} grades here.", hint="Say who you are on the page Grade."
        )
    if not person.active:
        raise NotAllowedError(f"{rater} does not grade here any more.", hint="Ask an admin.")
    return person


def _check_pair(connection: Connection, pair_id: int) -> None:
    if queue.shown_pair(connection, pair_id) is None:
        raise BuilderError(f"there is no pair {pair_id} in this workspace", hint="reload the page")


def _check_token(token: str) -> None:
    if not 1 <= len(token) <= LONGEST_TOKEN or token.startswith(IMPORTED):
        raise BuilderError(
            f"a token has 1 to {LONGEST_TOKEN} characters and does not begin with {IMPORTED}"
        )


def _check_comment(comment: str) -> None:
    if len(comment) > LONGEST_COMMENT:
        raise BuilderError(
            f"a comment has at most {LONGEST_COMMENT:,} characters, this one {len(comment):,}"
        )
    if re.search("[\x00\ud800-\udfff]", comment):
        raise BuilderError("a comment cannot hold U+0000 or half a character (a lone surrogate)")


def _sought(connection: Connection, seeker: Seeker) -> int | None:
    """The pair_id of the pair that comes next, or None."""
    latest = queue.latest_judgment(connection, seeker.rater_id)
    if latest is not None and latest.outcome == "undone" and latest.status == "active":
        return int(latest.pair_id)
    start = (
        queue.first_query_of(connection, seeker.rater_id, seeker.raters_per_pair)
        if latest is None
        else latest.query_key
    )
    query_key = queue.next_query(connection, seeker, start)
    if query_key is None:
        return queue.skipped_pair(connection, seeker)
    return queue.open_pairs(connection, seeker, query_key)[0]


def _shown(store: Store, connection: Connection, seeker: Seeker, pair_id: int) -> Pair:
    shown = queue.shown_pair(connection, pair_id)
    if shown is None:
        raise LookupError(f"pair {pair_id} has vanished")
    query_key, query, document = shown
    others = set(queue.open_pairs(connection, seeker, query_key)) - {pair_id}
    position, n_queries = query_place(store, connection, query_key)
    return Pair(pair_id, query, document, position, n_queries, len(others) + 1)


def _of_this_sitting(lately: list[tuple[str, bool]], now: datetime) -> list[tuple[datetime, bool]]:
    """The rows, newest first, up to the first pause of half an hour."""
    sitting: list[tuple[datetime, bool]] = []
    later = now
    for recorded_at, stands in lately:
        moment = datetime.fromisoformat(recorded_at)
        if later - moment > PAUSE:
            break
        sitting.append((moment, stands))
        later = moment
    return sitting


def _pace(moments: list[datetime]) -> float | None:
    """Median seconds between judgments, newest first; None with fewer than two."""
    gaps = [(later - earlier).total_seconds() for later, earlier in pairwise(moments)]
    return median(gaps) if gaps else None
