"""Many grades of one pair become one: the rules by which raw grades turn into qrels.

Human and import grades count. A synthetic grade (the source pair of a synthetic query) counts only
where neither of them graded the pair; grades of a language model never do.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from builder.errors import BuilderError
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
    """One pair with the grade that goes into qrels, and the number of grades behind it."""

    query_id: str
    doc_id: str
    grade: int
    n_grades: int


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


def counted_grades(rows: Iterable[GradeRow]) -> list[int]:
    """The grades of one pair that count towards qrels."""
    by_kind: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        if row.grade is not None:
            by_kind[row.kind].append(row.grade)
    return by_kind["human"] + by_kind["import"] or by_kind["synthetic"]


def settle_pairs(
    rows: Iterable[GradeRow], rule: str = "majority", min_raters: int = 1
) -> Iterator[SettledPair]:
    """The pairs that `min_raters` or more graded, each with its one grade; streams.

    Args:
        rows: Current judgments with all rows of a pair together, as `current_grades` gives them.
        rule: majority, median or mean.
        min_raters: Pairs with fewer grades that count are left out.

    Raises:
        BuilderError: There is no such rule, or `min_raters` is below 1.
    """
    decide = find_rule(rule)
    if min_raters < 1:
        raise BuilderError(f"min_raters is {min_raters}, must be at least 1")
    return (
        SettledPair(query_id, doc_id, decide(grades), len(grades))
        for (query_id, doc_id), of_pair in groupby(rows, lambda row: (row.query_id, row.doc_id))
        if len(grades := counted_grades(of_pair)) >= min_raters
    )


def aggregate(rows: Iterable[GradeRow], rule: str = "majority", min_raters: int = 1) -> Qrels:
    """The qrels that the current judgments amount to; the order of the rows does not matter.

    Args:
        rows: Current judgments, one per rater and pair.
        rule: majority, median or mean.
        min_raters: Pairs with fewer grades that count are left out.

    Raises:
        BuilderError: There is no such rule, or `min_raters` is below 1.
    """
    qrels: defaultdict[str, dict[str, int]] = defaultdict(dict)
    in_order = sorted(rows, key=lambda row: (row.query_id, row.doc_id))
    for pair in settle_pairs(in_order, rule, min_raters):
        qrels[pair.query_id][pair.doc_id] = pair.grade
    return dict(qrels)
