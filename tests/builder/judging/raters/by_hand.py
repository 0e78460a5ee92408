"""Small grades written out: rater -> a grade for each pair, None where it was not asked."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from builder.store.ratings import Ratings

Given: TypeAlias = Mapping[str, Sequence[int | None]]


def ratings(
    given: Given,
    *,
    pairs_per_query: int = 1,
    excluded: Mapping[str, str] | None = None,
    seconds: Mapping[str, float] | None = None,
    milliseconds: Mapping[str, float] | None = None,
) -> Ratings:
    """The grades as columns; `seconds` and `milliseconds` hold for all grades of a rater."""
    names = sorted(given)
    rows = [
        (pair, rater, grade)
        for pair in range(max(len(grades) for grades in given.values()))
        for rater, name in enumerate(names)
        if pair < len(given[name]) and (grade := given[name][pair]) is not None
    ]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    pair, rater = columns[0], columns[1]
    n_queries = int(pair.max()) // pairs_per_query + 1 if len(pair) else 0
    times, pace = seconds or {}, milliseconds or {}
    return Ratings(
        query=pair // pairs_per_query,
        pair=pair + 100,
        rater=rater,
        grade=columns[2],
        seconds=np.array([times.get(names[at], float("nan")) for at in rater]),
        milliseconds=np.array([pace.get(names[at], float("nan")) for at in rater]),
        query_ids=[f"q{at}" for at in range(n_queries)],
        tags=[()] * n_queries,
        raters=names,
        excluded=excluded or {},
    )
