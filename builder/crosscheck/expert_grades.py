"""What experts say of pairs: the grade that a release would hold."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from builder.judging.aggregation import SettledPair, counted_grades, is_decision, settle_pairs
from builder.store import Connection
from builder.store.adjudications import excluded_raters, grades_and_decisions
from builder.store.judgments import GradeRow
from builder.store.pool import Pair

MAJORITY, LOWER_MEDIAN = "majority", "lower_median"
_EXPERTS = ("human", "import")
_RULES = {"median": LOWER_MEDIAN, "mean": "mean"}


def expert_grades(
    connection: Connection, rule: str, query_ids: Collection[str] | None = None
) -> dict[Pair, SettledPair]:
    """(query_id, doc_id) -> the one grade of its experts.

    As in a release decisions win, and raters who are left out do not count. The grade that a
    generated query brings along is none: no expert gave it.

    Args:
        connection: Inside a transaction.
        rule: majority, median or mean.
        query_ids: Only these queries; None: all.

    Raises:
        BuilderError: There is no such rule.
    """
    rows = _rows(connection, query_ids)
    settled = settle_pairs(rows, rule, excluded=excluded_raters(connection))
    return {(pair.query_id, pair.doc_id): pair for pair in settled}


def all_expert_grades(
    connection: Connection, query_ids: Collection[str] | None = None
) -> dict[Pair, list[int]]:
    """(query_id, doc_id) -> the grades that `expert_grades` makes one of, without decisions."""
    excluded = excluded_raters(connection)
    of_pairs = groupby(_rows(connection, query_ids), lambda row: (row.query_id, row.doc_id))
    return {pair: counted_grades(of_pair, excluded) for pair, of_pair in of_pairs}


def settled_by(grades: Sequence[int], rule: str) -> str:
    """By what several grades become one: "majority", "lower_median" or "mean".

    The majority of grades of which several are given most often is their lower median.
    """
    if rule != MAJORITY:
        return _RULES[rule]
    first, *others = Counter(grades).most_common(2)
    return LOWER_MEDIAN if others and others[0][1] == first[1] else MAJORITY


def _rows(connection: Connection, query_ids: Collection[str] | None) -> Iterator[GradeRow]:
    found = grades_and_decisions(connection, query_ids)
    return (row for row in found if _is_of_an_expert(row))


def _is_of_an_expert(row: GradeRow) -> bool:
    return row.kind in _EXPERTS or is_decision(row)
