"""Grades as columns: what statistics of agreement and of raters are computed from."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from builder.store.grades import GradeRow

_Name = TypeVar("_Name", str, tuple[str, str])


@dataclass(frozen=True, slots=True)
class Ratings:
    """The current grades of people, one row a grade, ordered by query, pair and rater.

    Attributes:
        query: Position of the row's query in `query_ids`, shape (n,).
        pair: The pair, shape (n,): rows of one pair stand together and share a number, which is
            the store's pair_id where the grades come from the store.
        rater: Position of the row's rater in `raters`, shape (n,).
        grade: 0 to 3, shape (n,).
        seconds: When it was judged, in seconds since 1970 UTC, shape (n,); NaN if unknown.
        milliseconds: How long the rater looked at the pair, shape (n,); NaN if unknown.
        query_ids: The queries, each once.
        tags: The tags of each of them, shape as `query_ids`.
        raters: The raters' names, each once, in alphabetical order.
        excluded: Rater -> why; their grades are rows here, and left out of agreement and of
            aggregation.
        others: Kind (import, synthetic, llm) -> grades of that kind, which are no rows here.
        n_retired: Grades of people on retired queries, which are no rows here either.
    """

    query: NDArray[np.int64]
    pair: NDArray[np.int64]
    rater: NDArray[np.int64]
    grade: NDArray[np.int64]
    seconds: NDArray[np.float64]
    milliseconds: NDArray[np.float64]
    query_ids: Sequence[str]
    tags: Sequence[Sequence[str]]
    raters: Sequence[str]
    excluded: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, int] = field(default_factory=dict)
    n_retired: int = 0

    def __len__(self) -> int:
        """How many grades."""
        return len(self.grade)


def ratings_of(rows: Iterable[GradeRow], excluded: Mapping[str, str] | None = None) -> Ratings:
    """The grades of people among the rows as columns; rows in any order.

    Pairs are numbered from 0 in the order of their ids; queries have no tags, and nobody knows how
    long a rater looked.

    Args:
        rows: Current judgments, one per rater and pair; grades of no human are only counted.
        excluded: Rater -> why this rater's grades are not to count.
    """
    graded = [row for row in rows if row.grade is not None]
    given = sorted((row for row in graded if row.kind == "human"), key=lambda row: row[:3])
    _, of_pair = _numbered([(row.query_id, row.doc_id) for row in given])
    query_ids, of_query = _numbered([row.query_id for row in given])
    raters, of_rater = _numbered([row.rater for row in given])
    return Ratings(
        query=of_query,
        pair=of_pair,
        rater=of_rater,
        grade=np.array([row.grade for row in given], dtype=np.int64),
        seconds=np.array([_seconds(row.judged_at) for row in given], dtype=np.float64),
        milliseconds=np.full(len(given), np.nan),
        query_ids=query_ids,
        tags=[()] * len(query_ids),
        raters=raters,
        excluded={name: why for name, why in (excluded or {}).items() if name in raters},
        others=Counter(row.kind for row in graded if row.kind != "human"),
    )


def _numbered(names: Sequence[_Name]) -> tuple[list[_Name], NDArray[np.int64]]:
    """Each name once in alphabetical order, and for each of `names` its position there."""
    once = sorted(set(names))
    position = {name: at for at, name in enumerate(once)}
    return once, np.array([position[name] for name in names], dtype=np.int64)


def _seconds(moment: str | None) -> float:
    return float("nan") if moment is None else datetime.fromisoformat(moment).timestamp()
