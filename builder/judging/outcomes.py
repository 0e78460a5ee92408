"""What becomes of what a rater says: of a pair, of a whole query, or that it was a mistake.

All of it is accepted late, too: leases decide what is offered, not what is kept.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Literal, TypeAlias, cast
from uuid import uuid4

from builder.errors import BuilderError
from builder.judging.pairs import Pair, check_pair, grading_person, known_query, pair_for
from builder.judging.words import check_words
from builder.store import Connection, query_outcomes, queue, shown
from builder.store.history import pairs_shown
from builder.store.judgments import (
    IMPORTED,
    NewJudgment,
    knows_token,
    latest_standing,
    record_judgment,
    standing_judgment,
)
from builder.store.leases import release_leases, span, take_leases
from builder.store.moments import utc_text
from builder.store.queue import Seeker
from builder.store.undo import take_back
from builder.workspace import Workspace

LONGEST_TOKEN = 64
LONGEST_COMMENT = 10_000
LONGEST_REASON = 500

Status: TypeAlias = Literal["saved", "repeated", "already_graded"]
QueryOutcome: TypeAlias = Literal["unclear", "out_of_scope"]
What: TypeAlias = Literal["grade", "skip", "cannot_judge", "unclear", "out_of_scope"]


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
class Undone:
    """What was taken back.

    Attributes:
        what: grade, skip, cannot_judge, unclear or out_of_scope.
        pair: The pair, open for the rater again; None where it needs no grade any more, others
            are about to give it, or what was taken back was said of a whole query.
        query_id: The query.
    """

    what: What
    pair: Pair | None
    query_id: str


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
        guidelines_version: Under which guidelines it was made; None if unknown.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
        BuilderError: The grade is not 0 to 3, the pair unknown, the comment or token unfit, or a
            grade is to be replaced and the rater could read how the pair was settled
            (`check_not_shown`).
    """
    if type(grade) is not int or not 0 <= grade <= 3:
        raise BuilderError(f"a grade is 0, 1, 2 or 3, not {grade!r}")
    check_words(comment, "a comment", LONGEST_COMMENT)
    said = partial(
        NewJudgment,
        pair_id=pair_id,
        outcome="grade",
        token=token,
        grade=grade,
        comment=comment,
        milliseconds=milliseconds,
        guidelines_version=guidelines_version,
    )
    return _submit(workspace, rater, said, now, edit=edit)


def skip(  # noqa: PLR0913 - all of them belong to one press of a key
    workspace: Workspace,
    rater: str,
    pair_id: int,
    *,
    token: str,
    reason: str = "",
    milliseconds: int | None = None,
    now: datetime | None = None,
    guidelines_version: int | None = None,
) -> Outcome:
    """Put the pair off: it comes again when nothing else is left, and counts for nobody's quota.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
        BuilderError: The pair is unknown, or the reason or token unfit.
    """
    check_words(reason, "a reason", LONGEST_REASON)
    said = partial(
        NewJudgment,
        pair_id=pair_id,
        outcome="skip",
        token=token,
        milliseconds=milliseconds,
        reason=reason,
        guidelines_version=guidelines_version,
    )
    return _submit(workspace, rater, said, now)


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
    guidelines_version: int | None = None,
) -> Outcome:
    """Say that this rater cannot judge the pair, and why: the next one is asked.

    After two people who cannot, nobody is asked any more, and an analyst decides.

    Args:
        workspace: Where the pair lies.
        rater: The rater's name.
        pair_id: The pair.
        reason: Why; not blank, at most 500 characters.
        token: As of a grade.
        comment: What the rater wrote.
        milliseconds: How long the pair was looked at; None if unknown.
        now: When; default: this moment.
        guidelines_version: As of a grade.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
        BuilderError: The pair is unknown, or the reason, comment or token unfit.
    """
    check_given(reason)
    check_words(comment, "a comment", LONGEST_COMMENT)
    said = partial(
        NewJudgment,
        pair_id=pair_id,
        outcome="cannot_judge",
        token=token,
        comment=comment,
        milliseconds=milliseconds,
        reason=reason,
        guidelines_version=guidelines_version,
    )
    return _submit(workspace, rater, said, now)


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
    """Say that a whole query is unclear or out of scope, and why: this rater sees no more of it.

    When two people say so it is set aside: nobody is asked any more until an analyst has decided.

    Args:
        workspace: Where the query lies.
        rater: The rater's name.
        query_id: The query.
        outcome: unclear or out_of_scope.
        reason: Why; not blank, at most 500 characters.
        token: Made once for each showing: the same submit again changes nothing.
        now: When; default: this moment.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
        BuilderError: The query is unknown, or the outcome, reason or token unfit.
    """
    if outcome not in ("unclear", "out_of_scope"):
        raise BuilderError(f"a query is unclear or out_of_scope, not {outcome!r}")
    check_given(reason)
    check_token(token)
    moment = utc_text(now or datetime.now(UTC))
    with workspace.store.write() as connection:
        rater_id = grading_person(connection, rater).person_id
        query_key = known_query(connection, query_id)
        said = query_outcomes.QueryOutcome(query_key, rater_id, outcome, reason, token, moment)
        query_outcomes.record_outcome(connection, said)


def undo_last(
    workspace: Workspace, rater: str, *, token: str | None = None, now: datetime | None = None
) -> Undone | None:
    """Take back what the rater said last, of a pair or a query; None if there is nothing.

    Args:
        workspace: Where it lies.
        rater: The rater's name.
        token: Of this undo: the same one again undoes nothing more. Default: a new one.
        now: When it was undone; default: this moment.

    Returns:
        What it was; its pair, if it still wants a grade, is kept for the rater, and `next_pair`
        gives it first.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
        BuilderError: The token is unfit, or the rater could read how the pair was settled
            (`check_not_shown`): what was said last of all can always be taken back, unless it was
            decided since.
    """
    chosen = uuid4().hex if token is None else token
    check_token(chosen)
    moment = now or datetime.now(UTC)
    with workspace.store.write() as connection:
        rater_id = grading_person(connection, rater).person_id
        last = None if knows_token(connection, chosen) else latest_standing(connection, rater_id)
        shown_before = last is not None and _is_shown(workspace, connection, rater_id, last.pair_id)
        taken = take_back(connection, rater_id, chosen, moment)
        if taken is None:
            return None
        if shown_before and taken.what == "grade":
            raise _shown_error()  # which rolls back what was taken back
        query_id = shown.query_id_of(connection, taken.query_key)
        pair = _kept(workspace, connection, rater_id, taken.pair_id, moment)
        return Undone(cast("What", taken.what), pair, query_id)


def _kept(
    workspace: Workspace,
    connection: Connection,
    rater_id: int,
    pair_id: int | None,
    moment: datetime,
) -> Pair | None:
    """The pair, leased to the rater if it is open for them; else None."""
    lasting = span(moment, workspace.settings.lease_minutes)
    if pair_id is None or not queue.is_open(connection, Seeker(rater_id), pair_id, lasting.now):
        return None
    take_leases(connection, rater_id, [pair_id], lasting)
    return pair_for(workspace.store, connection, rater_id, pair_id, lasting.now)


def _submit(
    workspace: Workspace,
    rater: str,
    said: Callable[..., NewJudgment],
    now: datetime | None,
    *,
    edit: bool = False,
) -> Outcome:
    """Record what the rater said, in a transaction of its own; `said` lacks but the rater_id."""
    with workspace.store.write() as connection:
        judgment = said(rater_id=grading_person(connection, rater).person_id)
        check_token(judgment.token)
        if edit and not knows_token(connection, judgment.token):
            check_not_shown(workspace, connection, judgment.rater_id, judgment.pair_id)
        return _record(connection, judgment, now, edit=edit)


def _record(
    connection: Connection, judgment: NewJudgment, now: datetime | None, *, edit: bool
) -> Outcome:
    """Record the judgment, unless the pair has a grade of this rater and this is no edit."""
    check_pair(connection, judgment.pair_id)
    stands = standing_judgment(connection, judgment.pair_id, judgment.rater_id)
    is_new = not edit and not knows_token(connection, judgment.token)
    if is_new and stands is not None and stands.outcome == "grade":
        return Outcome("already_graded", judgment.pair_id, stands.grade, stands.judgment_id)
    recorded = record_judgment(connection, judgment, now)
    if recorded.repeated:
        return Outcome("repeated", recorded.pair_id, recorded.grade, recorded.judgment_id)
    release_leases(connection, judgment.rater_id, [judgment.pair_id])
    return Outcome("saved", recorded.pair_id, recorded.grade, recorded.judgment_id)


def check_not_shown(
    workspace: Workspace, connection: Connection, rater_id: int, pair_id: int
) -> None:
    """Let pass a rater who could not yet read how the pair was settled.

    Whoever knows what others say of a pair does not grade it by themselves any more: to follow them
    would count as agreement. So a grade is kept as it is from the moment at which `My grades` shows
    its dispute, looked at or not: the pair is complete and its grades differ, and the rater has
    said or taken back something since; or an analyst has decided on it, though that was taken back.

    Raises:
        BuilderError: The rater has graded the pair, and could read it.
    """
    if _is_shown(workspace, connection, rater_id, pair_id):
        raise _shown_error()


def _is_shown(workspace: Workspace, connection: Connection, rater_id: int, pair_id: int) -> bool:
    k = workspace.settings.raters_per_pair
    return bool(pairs_shown(connection, rater_id, [pair_id], k))


def _shown_error() -> BuilderError:
    return BuilderError(
        "How this pair was settled is shown to you in My grades, so your grade stays as you gave "
        "it",
        hint="If you think the pair was settled wrongly, write to your lead.",
    )


def check_token(token: str) -> None:
    """Let pass what can be the token of a submit.

    Raises:
        BuilderError: It is empty, longer than 64 characters, or begins as those of imports do.
    """
    if not 1 <= len(token) <= LONGEST_TOKEN or token.startswith(IMPORTED):
        raise BuilderError(
            f"a token has 1 to {LONGEST_TOKEN} characters and does not begin with {IMPORTED}"
        )


def check_given(reason: str) -> None:
    """Let pass a reason that says something.

    Raises:
        BuilderError: It is blank, longer than 500 characters, or cannot be kept.
    """
    if not reason.strip():
        raise BuilderError("a reason is needed", hint="say in a few words why")
    check_words(reason, "a reason", LONGEST_REASON)
