"""What a rater said so far: searched, changed, and set beside what became of it.

A rater sees only what is theirs. How a disputed pair was settled is shown to those who graded it,
once it is complete or an analyst has decided and not before, and never who gave which grade.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from builder.errors import BuilderError, NotAllowedError
from builder.judging.adjudication import is_disputed
from builder.judging.aggregation import counted_grades, majority
from builder.judging.guidelines import current_guidelines
from builder.judging.queue import Outcome, submit_grade
from builder.store import Connection
from builder.store import history as table
from builder.store.adjudications import Decision, standing_of_pairs
from builder.store.disputes import places_of_pairs
from builder.store.grades import GradeRow
from builder.store.history import EarlierRow, OwnRow
from builder.store.judgments import knows_token, standing_judgment
from builder.store.people import Person, find_person
from builder.workspace import Workspace

PAGE = 25
"""Judgments on one page."""

STRETCH = 2500
"""Rows of the rater's log that one look goes through; a search goes on where it stopped."""

STANDING = ("grade", "skip", "cannot_judge")


@dataclass(frozen=True, slots=True)
class Sought:
    """Which of one's judgments to show.

    Attributes:
        words: Each of these words stands in the query, the document's title, the comment or the
            reason, whatever its case.
        outcome: grade, skip, cannot_judge or undone; None: all that stands.
        grade: 0 to 3, with the outcome grade or None; None: all.
        tag: Only queries with exactly this tag; None: all.
    """

    words: str = ""
    outcome: str | None = None
    grade: int | None = None
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class OwnJudgment:
    """What a rater says now of a pair, and what before.

    Attributes:
        now: What stands.
        earlier: What stood before, newest first.
        is_final: Whether it cannot be changed any more: its dispute is shown to the rater.
    """

    now: OwnRow
    earlier: Sequence[EarlierRow] = ()
    is_final: bool = False


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """A page of one's judgments.

    Attributes:
        judgments: Newest first, at most 25.
        older: Where the next page begins, for `before`; None where nothing older is left.
        searched_to: Where not all could be searched at once: the judgment before which nothing was
            looked at yet; else None.
    """

    judgments: Sequence[OwnJudgment]
    older: int | None
    searched_to: int | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """A disputed pair: one's own grade beside the one that goes into qrels.

    Attributes:
        own: What this rater says.
        grade: What an analyst decided, else what the grades amount to by majority; None while they
            differ so far that it waits for an analyst, and where its query is retired meanwhile.
        n_grades: How many grades count.
        adjudicated: Whether an analyst decided.
        reason: Why, "" if not said; untrusted.
        decided_at: When, ISO 8601 in UTC; "" if nobody did.
        retired: Whether its query is retired: nobody has to decide any more.
    """

    own: OwnRow
    grade: int | None
    n_grades: int
    adjudicated: bool = False
    reason: str = ""
    decided_at: str = ""
    retired: bool = False


@dataclass(frozen=True, slots=True)
class SettledPage:
    """A page of disputed pairs.

    Attributes:
        disputes: Newest first, at most 25.
        older: Where the next page begins, for `before`; None where nothing older is left.
    """

    disputes: Sequence[Settled]
    older: int | None


def own_history(
    workspace: Workspace,
    rater: str,
    sought: Sought = Sought(),
    before: int | None = None,
) -> HistoryPage:
    """The rater's own judgments, newest first, one page of them.

    Args:
        workspace: Where they lie.
        rater: The rater's name.
        sought: Which of them.
        before: Only those before this judgment_id: `older` of the page before.

    Raises:
        NotAllowedError: There is no person of this name.
    """
    k = workspace.settings.raters_per_pair
    with workspace.store.read() as connection:
        person = _person(connection, rater)
        stretch = table.newest_stretch(connection, person.person_id, before, STRETCH)
        found = _found(connection, stretch, sought)
        ids = [row.pair_id for row in found[:PAGE]]
        earlier = _by_pair(table.earlier_rows(connection, person.person_id, ids))
        final = table.pairs_shown(connection, person.person_id, ids, k)
    shown = [
        OwnJudgment(row, earlier.get(row.pair_id, ()), row.pair_id in final) for row in found[:PAGE]
    ]
    if len(found) > PAGE:
        return HistoryPage(shown, shown[-1].now.judgment_id)
    searched_to = stretch.oldest if stretch.more else None
    return HistoryPage(shown, searched_to, searched_to)


def settled_disputes(
    workspace: Workspace, rater: str, before: int | None = None, *, decided_only: bool = False
) -> SettledPage:
    """How the pairs were settled on which this rater and others disagree; newest first.

    Only pairs with a standing grade of this rater that an analyst decided, or that as many people
    graded as shall: who has yet to grade a pair learns nothing of it. Nor does who can still take
    the grade back, being the last thing the rater said. What is listed cannot be changed any more.

    Args:
        workspace: Where they lie.
        rater: The rater's name.
        before: `older` of the page before.
        decided_only: Only those that an analyst decided.

    Raises:
        NotAllowedError: There is no person of this name.
    """
    raters_per_pair = workspace.settings.raters_per_pair
    with workspace.store.read() as connection:
        person = _person(connection, rater)
        stretch = table.newest_stretch(connection, person.person_id, before, STRETCH)
        found = table.disputed_rows(
            connection, stretch, raters_per_pair, PAGE + 1, decided_only=decided_only
        )
        shown = _settled(connection, found[:PAGE])
    if len(found) > PAGE:
        return SettledPage(shown, shown[-1].own.judgment_id)
    return SettledPage(shown, stretch.oldest if stretch.more else None)


def is_final(workspace: Workspace, rater: str, pair_id: int) -> bool:
    """Whether the rater graded the pair and cannot change that any more (`check_not_shown`).

    Raises:
        NotAllowedError: There is no person of this name.
    """
    k = workspace.settings.raters_per_pair
    with workspace.store.read() as connection:
        rater_id = _person(connection, rater).person_id
        return bool(table.pairs_shown(connection, rater_id, [pair_id], k))


def count_own(workspace: Workspace, rater: str) -> dict[str, int]:
    """How many of the rater's judgments stand, by outcome; those that nobody gave are absent.

    Raises:
        NotAllowedError: There is no person of this name.
    """
    with workspace.store.read() as connection:
        return table.count_standing(connection, _person(connection, rater).person_id)


def change_grade(
    workspace: Workspace, rater: str, was: OwnRow, grade: int, comment: str, *, token: str
) -> Outcome | None:
    """Replace what the rater said of a pair by a grade; what was said before stays in the log.

    Args:
        workspace: Where it lies.
        rater: The rater's name.
        was: What stood when the change was begun.
        grade: 0 to 3.
        comment: The comment from now on; "" takes it away.
        token: Made once for each change: the same again changes nothing more.

    Returns:
        What became of it; None where neither grade nor comment differ.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
        BuilderError: The rater has changed it elsewhere meanwhile, could read how the pair was
            settled, or the grade or comment is unfit; nothing was changed.
    """
    with workspace.store.read() as connection:
        person = _person(connection, rater)
        if not knows_token(connection, token):
            _refuse_other(connection, person, was)
            if (grade, comment) == (was.grade, was.comment):
                return None
    version = current_guidelines(workspace).version
    return submit_grade(
        workspace,
        rater,
        was.pair_id,
        grade,
        token=token,
        comment=comment,
        edit=True,
        guidelines_version=version,
    )


def _refuse_other(connection: Connection, person: Person, was: OwnRow) -> None:
    """Refuse if something else stands than the change was made from."""
    stands = standing_judgment(connection, was.pair_id, person.person_id)
    if stands is None or stands.judgment_id != was.judgment_id:
        raise BuilderError(
            "You have changed this judgment elsewhere meanwhile. Nothing was saved.",
            hint="It is shown as it stands now; change that.",
        )


def _found(connection: Connection, stretch: table.Stretch, sought: Sought) -> list[OwnRow]:
    """The newest judgments that are sought, one more than a page holds."""
    outcomes = STANDING if sought.outcome is None else (sought.outcome,)
    words = _folded(sought.words).split()
    # Only where SQL does all the choosing may it stop early.
    limit = None if words or sought.tag else PAGE + 1
    rows = table.own_rows(connection, stretch, outcomes=outcomes, grade=sought.grade, limit=limit)
    fitting = (row for row in rows if _fits(row, words, sought.tag))
    return list(islice(fitting, PAGE + 1))


def _fits(row: OwnRow, words: Sequence[str], tag: str | None) -> bool:
    if tag is not None and tag not in row.tags:
        return False
    if not words:
        return True
    said = _folded("\n".join((row.query, row.title or row.doc_id, row.comment, row.reason)))
    return all(word in said for word in words)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _by_pair(rows: Iterable[EarlierRow]) -> dict[int, list[EarlierRow]]:
    by_pair: defaultdict[int, list[EarlierRow]] = defaultdict(list)
    for row in rows:
        by_pair[row.pair_id].append(row)
    return dict(by_pair)


def _settled(connection: Connection, rows: Sequence[OwnRow]) -> list[Settled]:
    ids = [row.pair_id for row in rows]
    grades, decided = _grades_of(connection, ids), standing_of_pairs(connection, ids)
    places = places_of_pairs(connection, ids)
    return [
        _settled_pair(
            row,
            grades.get(row.pair_id, []),
            decided.get(row.pair_id),
            retired=places[row.pair_id].retired,
        )
        for row in rows
    ]


def _settled_pair(
    row: OwnRow, rows: list[GradeRow], decision: Decision | None, *, retired: bool
) -> Settled:
    grades = counted_grades(rows)
    if decision is not None:
        said = (decision.grade, len(grades), True, decision.reason, decision.decided_at)
        return Settled(row, *said, retired=retired)
    of_people = [said.grade for said in rows if said.kind == "human" and said.grade is not None]
    open_ = retired or is_disputed(of_people)
    return Settled(row, None if open_ else majority(grades), len(grades), retired=retired)


def _grades_of(connection: Connection, pair_ids: Sequence[int]) -> dict[int, list[GradeRow]]:
    """The grades of each pair, but of raters who are left out."""
    by_pair: defaultdict[int, list[GradeRow]] = defaultdict(list)
    for pair_id, kind, grade in table.grades_of_pairs(connection, pair_ids):
        by_pair[pair_id].append(GradeRow("", "", "", kind, "grade", grade))
    return dict(by_pair)


def _person(connection: Connection, rater: str) -> Person:
    person = find_person(connection, rater)
    if person is None:
        raise NotAllowedError(f"Nobody is called {rater} here.", hint="Sign in.")
    return person
