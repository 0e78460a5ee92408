"""What experts say of pairs: the grade that a release would hold."""

from collections.abc import Collection

from builder.judging.aggregation import SettledPair, is_decision, settle_pairs
from builder.store import Connection
from builder.store.adjudications import excluded_raters, grades_and_decisions
from builder.store.judgments import GradeRow
from builder.store.pool import Pair

_EXPERTS = ("human", "import")


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
    rows = (row for row in grades_and_decisions(connection, query_ids) if _is_of_an_expert(row))
    settled = settle_pairs(rows, rule, excluded=excluded_raters(connection))
    return {(pair.query_id, pair.doc_id): pair for pair in settled}


def _is_of_an_expert(row: GradeRow) -> bool:
    return row.kind in _EXPERTS or is_decision(row)
