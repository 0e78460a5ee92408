"""Judgments: append-only; whatever a rater changes is a new row, and nothing is ever lost."""

from typing import NamedTuple


class GradeRow(NamedTuple):
    """The current judgment of one rater on one pair.

    Attributes:
        query_id: The query.
        doc_id: The document.
        rater: The rater's name.
        kind: human, import, synthetic or llm.
        outcome: grade, skip or cannot_judge.
        grade: 0 to 3; None unless the outcome is grade.
        comment: What the rater wrote, "" if nothing.
        judged_at: When it was judged, ISO 8601 in UTC; None where an import did not say.
    """

    query_id: str
    doc_id: str
    rater: str
    kind: str
    outcome: str
    grade: int | None
    comment: str = ""
    judged_at: str | None = None
