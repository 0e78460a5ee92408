"""How far a rater is: in this sitting, and in the whole."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median

from builder.judging.counts import count_tags, count_work
from builder.judging.pairs import Filters, seeker_of
from builder.store import queue_counts
from builder.workspace import Workspace

PAUSE = timedelta(minutes=30)
"""Whoever judges nothing for so long begins a new sitting."""

LONGEST_SITTING = 500

_EVERYTHING = Filters()


@dataclass(frozen=True, slots=True)
class GradingProgress:
    """How far a rater is, in pairs; within the filters but for the sitting.

    Attributes:
        graded: Pairs with a standing grade of this rater.
        skipped: Pairs put off for later.
        cannot_judge: Pairs that this rater cannot judge.
        left: Pairs that want a grade of this rater, skipped ones included, and those that are on
            other screens: where `next_pair` gives None and some are left, others have them now.
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


def progress_of(
    workspace: Workspace,
    rater: str,
    filters: Filters = _EVERYTHING,
    now: datetime | None = None,
) -> GradingProgress:
    """How far the rater is, in this sitting and in the whole.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
    """
    with workspace.store.read() as connection:
        seeker = seeker_of(connection, rater, filters)
        work = count_work(workspace.store, connection, seeker)
        lately = queue_counts.judged_lately(connection, seeker.rater_id, LONGEST_SITTING)
    sitting = _of_this_sitting(lately, now or datetime.now(UTC))
    return GradingProgress(
        graded=work.own.graded,
        skipped=work.own.skipped,
        cannot_judge=work.own.cannot_judge,
        left=work.left,
        total=work.own.graded + work.left,
        sitting=sum(stands for _, stands in sitting),
        seconds_a_pair=_pace([moment for moment, _ in sitting]),
    )


def tags_with_pairs(workspace: Workspace) -> list[tuple[str, int]]:
    """The tags of active queries that have pairs, by name, each with its number of queries.

    It may be some seconds old.
    """
    with workspace.store.read() as connection:
        return count_tags(workspace.store, connection)


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
