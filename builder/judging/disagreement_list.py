"""The pairs on which people disagree, as a lead reads them: a page at a time, or all of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builder.judging.adjudication import Decision, is_disputed
from builder.store.adjudications import standing_of_pairs
from builder.store.pair_grades import BATCH, GivenGrade, GradedPair, graded_pairs, pairs_of_tag
from builder.workspace import Workspace

__all__ = [
    "GivenGrade",
    "GradedPair",
    "Listed",
    "Page",
    "Wanted",
    "all_disagreements",
    "list_page",
]

PAGE = 25
"""Pairs on one page."""

Report = Mapping[str, Any]
"""What `compute_trust` found."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which disagreements somebody wants to see.

    Attributes:
        tag: Only queries with exactly this tag; None: all.
        disputed_only: Only those that an analyst should decide, or has decided.
    """

    tag: str | None = None
    disputed_only: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A pair on which people disagree.

    Attributes:
        pair: The pair with its grades as they are now.
        low: The lowest grade when the report was made.
        high: The highest.
        disputed: Whether it is a dispute: two grades apart, or relevant against not.
        decision: What an analyst decided of it; None if nobody has.
    """

    pair: GradedPair
    low: int
    high: int
    disputed: bool
    decision: Decision | None

    def as_json(self) -> dict[str, Any]:
        """As the command `agreement` prints it."""
        pair, decision = self.pair, self.decision
        return {
            "query_id": pair.query_id,
            "query": pair.query,
            "doc_id": pair.doc_id,
            "title": pair.title,
            "low": self.low,
            "high": self.high,
            "disputed": self.disputed,
            "decided": None if decision is None else decision.grade,
            "grades": [
                {
                    "rater": given.rater,
                    "grade": given.grade,
                    "comment": given.comment,
                    "timestamp": given.moment,
                    "left_out": given.excluded,
                }
                for given in pair.grades
            ],
        }


@dataclass(frozen=True, slots=True)
class Page:
    """A page of disagreements, the widest spread first.

    Attributes:
        rows: At most 25.
        page: Which page this is, from 1.
        pages: How many there are, at least 1.
        total: How many disagreements are wanted.
    """

    rows: Sequence[Listed]
    page: int
    pages: int
    total: int


def list_page(
    workspace: Workspace, report: Report, wanted: Wanted = Wanted(), page: int = 1
) -> Page:
    """A page of the report's disagreements; one beyond the last shows the last.

    Args:
        workspace: Whose report it is.
        report: What `compute_trust` found.
        wanted: Which of them.
        page: From 1.
    """
    found = _wanted(workspace, report, wanted)
    pages = max(1, -(-len(found) // PAGE))
    page = min(max(1, page), pages)
    chosen = found[(page - 1) * PAGE : page * PAGE]
    return Page(list(_listed(workspace, chosen)), page, pages, len(found))


def all_disagreements(
    workspace: Workspace, report: Report, wanted: Wanted = Wanted()
) -> Iterator[Listed]:
    """All that are wanted, the widest spread first; memory stays flat."""
    return _listed(workspace, _wanted(workspace, report, wanted))


def _wanted(workspace: Workspace, report: Report, wanted: Wanted) -> list[Mapping[str, int]]:
    found: Sequence[Mapping[str, int]] = report["disagreements"]
    if wanted.tag is not None:
        with workspace.store.read() as connection:
            tagged = pairs_of_tag(connection, wanted.tag)
        found = [row for row in found if row["pair_id"] in tagged]
    if wanted.disputed_only:
        found = [row for row in found if is_disputed((row["low"], row["high"]))]
    return list(found)


def _listed(workspace: Workspace, found: Sequence[Mapping[str, int]]) -> Iterator[Listed]:
    for start in range(0, len(found), BATCH):
        batch = {row["pair_id"]: row for row in found[start : start + BATCH]}
        with workspace.store.read() as connection:
            pairs = graded_pairs(connection, list(batch))
            decided = standing_of_pairs(connection, batch.keys())
        for pair in pairs:
            low, high = batch[pair.pair_id]["low"], batch[pair.pair_id]["high"]
            disputed = is_disputed((low, high))
            yield Listed(pair, low, high, disputed, decided.get(pair.pair_id))
