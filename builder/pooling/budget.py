"""What grading costs at the team's pace, and how a budget is spent evenly over queries."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any, TypeVar

from builder.errors import BuilderError
from builder.judging.progress import PAUSE
from builder.pooling.plan import PoolPlan
from builder.store import Connection
from builder.store.pool_yield import latest_moments
from builder.workspace import Workspace

ASSUMED_SECONDS = 20.0
"""What a grade takes where nobody has graded here yet."""

ENOUGH_GAPS = 10
"""With fewer measured times the assumption holds."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast the team grades.

    Attributes:
        seconds_a_grade: The median time from one judgment of a person to the next one of the same
            sitting, or the assumption.
        measured: From how many such times; 0 where it is the assumption.
        raters: Of how many people.
        grades_a_pair: How many grades a pair gets on average: the workspace's quota.
    """

    seconds_a_grade: float
    measured: int
    raters: int
    grades_a_pair: float

    def cost(self, pairs: int) -> dict[str, Any]:
        """What so many new pairs cost: pairs, grades, seconds_a_grade, measured, hours, why."""
        grades = round(pairs * self.grades_a_pair)
        return {
            "pairs": pairs,
            "grades": grades,
            "seconds_a_grade": self.seconds_a_grade,
            "measured": self.measured > 0,
            "hours": grades * self.seconds_a_grade / 3600,
            "grades_a_pair": self.grades_a_pair,
            "why": self._why(),
        }

    def pairs_in(self, hours: float) -> int:
        """How many pairs the team grades in so many hours, rounded down."""
        return int(hours * 3600 / (self.seconds_a_grade * self.grades_a_pair) + 1e-9)

    def _why(self) -> str:
        if not self.measured:
            return f"nobody has graded enough here: {self.seconds_a_grade:g} s a grade are assumed"
        people = "one person" if self.raters == 1 else f"{self.raters} people"
        return f"the median of {self.measured:,} times between two judgments of {people}"


def team_pace(workspace: Workspace, connection: Connection) -> Pace:
    """How fast people judged of late, and how many grades a pair gets."""
    gaps: list[float] = []
    raters = 0
    for moments in latest_moments(connection).values():
        times = [(later - earlier) for earlier, later in pairwise(moments)]
        of_rater = [time.total_seconds() for time in times if time <= PAUSE]
        gaps += of_rater
        raters += bool(of_rater)
    rule = workspace.settings
    grades_a_pair = 1 + (rule.raters_per_pair - 1) * rule.overlap_share
    if len(gaps) < ENOUGH_GAPS or median(gaps) <= 0:
        return Pace(ASSUMED_SECONDS, 0, 0, grades_a_pair)
    return Pace(median(gaps), len(gaps), raters, grades_a_pair)


def budget_in_pairs(plan: PoolPlan, pace: Pace) -> int | None:
    """How many new pairs the plan allows; None for no limit.

    Raises:
        BuilderError: The hours are too few for a single pair.
    """
    if plan.hours is None:
        return plan.budget
    pairs = pace.pairs_in(plan.hours)
    if pairs < 1:
        raise BuilderError(
            f"{plan.hours:g} hours are too few for one pair: {pace.grades_a_pair:g} grades of "
            f"{pace.seconds_a_grade:.3g} s",
            hint="Give more hours, or a budget in pairs.",
        )
    return pairs


def spent(
    sequences: Mapping[str, Sequence[T]], budget: int | None, seed: int = 0
) -> dict[str, list[T]]:
    """The beginning of each query's sequence that the budget pays for, at most one apart in length.

    One of each query, then the second of each, until the budget is spent; who comes first where
    it does not suffice for all is drawn by the seed, not by the alphabet.

    Args:
        sequences: query_id -> its new pairs, the most wanted first.
        budget: How many in all; None for no limit.
        seed: Of the draw.
    """
    if budget is None or budget >= sum(map(len, sequences.values())):
        return {query_id: list(sequence) for query_id, sequence in sequences.items()}
    lengths = dict.fromkeys(sequences, 0)
    open_ones = sorted(sequences, key=lambda query_id: _drawn(seed, query_id))
    left = budget
    while left:
        open_ones = [q for q in open_ones if lengths[q] < len(sequences[q])]
        for query_id in open_ones[:left]:
            lengths[query_id] += 1
        left -= min(left, len(open_ones))
    return {query_id: list(found[: lengths[query_id]]) for query_id, found in sequences.items()}


def _drawn(seed: int, query_id: str) -> bytes:
    return hashlib.sha256(f"{seed} {query_id}".encode()).digest()
