"""The pairs on which people disagree, as a lead reads them: a page at a time, or all of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builder.judging.adjudication import Decision, is_disputed
from builder.store.adjudications import standing_of_pairs
from builder.store.beside_others import Apart, pairs_apart
from builder.store.disputes import places_of_pairs
from builder.store.pair_grades import BATCH, GivenGrade, GradedPair, graded_pairs, pairs_of_tag
from builder.workspace import Workspace

__all__ = [
    "Apart",
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
        rater: Only this rater's pairs, those farthest from the mean of the others first; of
            somebody who is left out, too. None: everybody's, the widest spread first.
    """

    tag: str | None = None
    disputed_only: bool = False
    rater: str | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A pair on which people disagree.

    Attributes:
        pair: The pair with its grades as they are now.
        low: The lowest grade when the report was made.
        high: The highest.
        disputed: Whether it is a dispute: two grades apart, or relevant against not, and its query
            not retired.
        decision: What an analyst decided of it; None if nobody has.
        apart: The grade of the rater who was asked for, beside the others; else None.
    """

    pair: GradedPair
    low: int
    high: int
    disputed: bool
    decision: Decision | None
    apart: Apart | None = None

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
    """A page of disagreements, in the order of what was wanted.

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
    """All that are wanted, in the order of `Wanted`; texts are read a batch at a time."""
    return _listed(workspace, _wanted(workspace, report, wanted))


@dataclass(frozen=True, slots=True)
class _Found:
    """A pair that may be wanted, before its texts and grades are read."""

    pair_id: int
    low: int
    high: int
    apart: Apart | None = None


def _wanted(workspace: Workspace, report: Report, wanted: Wanted) -> list[_Found]:
    found = _found(workspace, report, wanted.rater)
    if wanted.tag is not None:
        with workspace.store.read() as connection:
            tagged = pairs_of_tag(connection, wanted.tag)
        found = [row for row in found if row.pair_id in tagged]
    if wanted.disputed_only:
        found = [row for row in found if is_disputed((row.low, row.high))]
    return found


def _found(workspace: Workspace, report: Report, rater: str | None) -> list[_Found]:
    """Everybody's pairs as the report has them; one rater's as they are now."""
    if rater is None:
        return [_Found(row["pair_id"], row["low"], row["high"]) for row in report["disagreements"]]
    with workspace.store.read() as connection:
        apart = pairs_apart(connection, rater)
    return [_Found(row.pair_id, row.low, row.high, row) for row in apart]


def _listed(workspace: Workspace, found: Sequence[_Found]) -> Iterator[Listed]:
    for start in range(0, len(found), BATCH):
        batch = {row.pair_id: row for row in found[start : start + BATCH]}
        with workspace.store.read() as connection:
            pairs = graded_pairs(connection, list(batch))
            decided = standing_of_pairs(connection, batch.keys())
            places = places_of_pairs(connection, list(batch))
        for pair in pairs:
            row, decision = batch[pair.pair_id], decided.get(pair.pair_id)
            # The report may be older than the end of a query.
            disputed = is_disputed((row.low, row.high)) and not places[pair.pair_id].retired
            yield Listed(pair, row.low, row.high, disputed, decision, row.apart)
