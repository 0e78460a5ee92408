"""Many grades of one pair become one: the rules by which raw grades turn into qrels.

Human and import grades count. A synthetic grade (the source pair of a synthetic query) counts only
where neither of them graded the pair; grades of a language model never do. Raters who are left out
are as if they had graded nothing. What an adjudicator decided wins, whatever the rule, and however
few grades the pair has. Nothing here depends on the order of the rows.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from builder.errors import BuilderError
from builder.store.adjudications import ADJUDICATED, ADJUDICATOR
from builder.store.judgments import GradeRow
from evals.records import Qrels


def median(grades: Sequence[int]) -> int:
    """The lower median: the middle grade; of two middle ones the smaller, so one that was given."""
    return sorted(grades)[(len(grades) - 1) // 2]


def majority(grades: Sequence[int]) -> int:
    """The grade that was given most often; where several were, the lower median of all grades."""
    (grade, times), *others = Counter(grades).most_common(2)
    return median(grades) if others and others[0][1] == times else grade


def mean(grades: Sequence[int]) -> int:
    """The mean rounded half up (1.5 is 2, 0.5 is 1), in whole numbers and so exact."""
    return (2 * sum(grades) + len(grades)) // (2 * len(grades))


RULES: Mapping[str, Callable[[Sequence[int]], int]] = {
    "majority": majority,
    "median": median,
    "mean": mean,
}


class SettledPair(NamedTuple):
    """One pair with the grade that goes into qrels.

    Attributes:
        query_id: The query.
        doc_id: The document.
        grade: 0 to 3.
        n_grades: How many grades count; an adjudicated pair may have none.
        adjudicated: Whether an adjudicator decided it.
    """

    query_id: str
    doc_id: str
    grade: int
    n_grades: int
    adjudicated: bool = False

    def has(self, min_raters: int) -> bool:
        """Whether enough raters graded it to go into qrels; a decision needs none."""
        return self.adjudicated or self.n_grades >= min_raters


def find_rule(name: str) -> Callable[[Sequence[int]], int]:
    """The rule of that name.

    Raises:
        BuilderError: There is no such rule.
    """
    if name not in RULES:
        raise BuilderError(
            f'there is no rule of aggregation "{name}"', hint=f"choose one of {', '.join(RULES)}"
        )
    return RULES[name]


def is_decision(row: GradeRow) -> bool:
    """Whether this is what an adjudicator decided, and no rater's judgment."""
    return row.kind == ADJUDICATOR and row.outcome == ADJUDICATED


def counted_grades(rows: Iterable[GradeRow], excluded: Collection[str] = ()) -> list[int]:
    """The raters' grades of one pair that count towards qrels; `excluded`: raters left out."""
    by_kind: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        if row.grade is not None and row.rater not in excluded:
            by_kind[row.kind].append(row.grade)
    return by_kind["human"] + by_kind["import"] or by_kind["synthetic"]


def settle_pairs(
    rows: Iterable[GradeRow],
    rule: str = "majority",
    min_raters: int = 1,
    excluded: Collection[str] = (),
) -> Iterator[SettledPair]:
    """The pairs that an adjudicator decided, or `min_raters` or more graded, each with one grade.

    Args:
        rows: Current judgments and decisions with all rows of a pair together, as
            `builder.store.adjudications.grades_and_decisions` gives them; they are streamed.
        rule: majority, median or mean; a decision wins over it.
        min_raters: Pairs with fewer grades that count, and without a decision, are left out.
        excluded: Names of raters whose grades do not count; a decision of theirs does.

    Raises:
        BuilderError: There is no such rule, or `min_raters` is below 1.
    """
    decide = find_rule(rule)
    if min_raters < 1:
        raise BuilderError(f"min_raters is {min_raters}, must be at least 1")
    of_pairs = groupby(rows, lambda row: (row.query_id, row.doc_id))
    settled = (_settle(pair, list(of_pair), decide, excluded) for pair, of_pair in of_pairs)
    return (pair for pair in settled if pair is not None and pair.has(min_raters))


def aggregate(
    rows: Iterable[GradeRow],
    rule: str = "majority",
    min_raters: int = 1,
    excluded: Collection[str] = (),
) -> Qrels:
    """The qrels that judgments and decisions amount to; the order of the rows does not matter.

    Args:
        rows: Current judgments, one per rater and pair, and decisions, at most one per pair.
        rule: As in `settle_pairs`, and so the others.
        min_raters: Least number of grades that count.
        excluded: Raters left out.

    Raises:
        BuilderError: There is no such rule, or `min_raters` is below 1.
    """
    qrels: defaultdict[str, dict[str, int]] = defaultdict(dict)
    in_order = sorted(rows, key=lambda row: (row.query_id, row.doc_id))
    for pair in settle_pairs(in_order, rule, min_raters, excluded):
        qrels[pair.query_id][pair.doc_id] = pair.grade
    return dict(qrels)


def _settle(
    pair: tuple[str, str],
    rows: Sequence[GradeRow],
    decide: Callable[[Sequence[int]], int],
    excluded: Collection[str],
) -> SettledPair | None:
    """The pair's one grade; None where nothing that counts was said of it."""
    grades = counted_grades(rows, excluded)
    decided = [row.grade for row in rows if is_decision(row) and row.grade is not None]
    if decided:
        # The store lets one decision of a pair stand; of several, which only a file could hold,
        # the lower median is taken, so that their order says nothing.
        return SettledPair(*pair, median(decided), len(grades), adjudicated=True)
    return SettledPair(*pair, decide(grades), len(grades)) if grades else None
