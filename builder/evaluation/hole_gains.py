"""What a judgment of an unjudged document would do to nDCG@k: of one query, exactly.

nDCG as trec_eval has it: linear gain, the ideal out of all judged documents, 0 where none is
relevant. An unjudged document has no gain; once judged it counts at its rank in each model that
shows it, and in the ideal of all models. The gain of a grade g is taken level by level, one for
each of 1 to g, so that an ideal follows from how many documents have at least each grade.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HIGHEST_GRADE = 3


@lru_cache(maxsize=16)
def discounts(k: int) -> tuple[float, ...]:
    """1 / log2(rank + 1) of the ranks 1 to k. Järvelin and Kekäläinen (2002)."""
    return tuple(1 / math.log2(rank + 1) for rank in range(1, k + 1))


@lru_cache(maxsize=16)
def ideal_sums(k: int) -> tuple[float, ...]:
    """At n: the discounts of the first n ranks together, for n from 0 to k."""
    return (0.0, *accumulate(discounts(k)))


@dataclass(frozen=True)
class QueryTops:
    """What the models show first for one query, and what is known of it.

    Attributes:
        grades: doc_id -> grade of the judged documents.
        tops: Model -> its first k documents, the best first.
        k: How many ranks count.
    """

    grades: Mapping[str, int]
    tops: Mapping[str, Sequence[str]]
    k: int

    def ranks(self) -> dict[str, dict[str, int]]:
        """Unjudged document -> model -> its 1-based rank there."""
        found: dict[str, dict[str, int]] = {}
        for model, top in self.tops.items():
            for rank, doc_id in enumerate(top, start=1):
                if doc_id not in self.grades:
                    found.setdefault(doc_id, {})[model] = rank
        return found

    @cached_property
    def dcg(self) -> dict[str, float]:
        """Model -> its discounted gain now."""
        return {model: self._dcg(top) for model, top in self.tops.items()}

    @cached_property
    def at_least(self) -> list[int]:
        """At l: how many judged documents have a grade above l, for each grade and up to 3."""
        positive = sorted(grade for grade in self.grades.values() if grade > 0)
        levels = max(HIGHEST_GRADE, positive[-1] if positive else 0)
        return [len(positive) - bisect_left(positive, grade) for grade in range(1, levels + 1)]

    def ideal(self, more: int = 0) -> float:
        """The discounted gain of the best order, with so many more documents of grade 3."""
        sums = ideal_sums(self.k)
        return math.fsum(
            sums[min(self.k, n + (more if level < HIGHEST_GRADE else 0))]
            for level, n in enumerate(self.at_least)
        )

    def ndcg(self) -> dict[str, float]:
        """Model -> its nDCG@k now, 0 where no judged document is relevant."""
        ideal = self.ideal()
        return {model: dcg / ideal if ideal else 0.0 for model, dcg in self.dcg.items()}

    def _dcg(self, top: Sequence[str]) -> float:
        return math.fsum(
            grade * discount
            for doc_id, discount in zip(top, discounts(self.k), strict=False)
            if (grade := self.grades.get(doc_id, 0)) > 0
        )


def movements(query: QueryTops, ranks: Mapping[str, Mapping[str, int]]) -> dict[str, float]:
    """Unjudged document -> how far a grade of 3 moves the models' nDCG@k apart, in [0, 1].

    The largest minus the smallest change over all models, those too that do not show it, since
    the ideal changes for all; of a single model the size of its change.

    Args:
        query: The query.
        ranks: As `QueryTops.ranks`, or a part of it.
    """
    ideal, after = query.ideal(), query.ideal(more=1)
    by_ideal = {
        model: dcg / after - (dcg / ideal if ideal else 0.0) for model, dcg in query.dcg.items()
    }
    gain = [HIGHEST_GRADE * discount / after for discount in discounts(query.k)]
    moved: dict[str, float] = {}
    for doc_id, of_models in ranks.items():
        changes = by_ideal | {
            model: by_ideal[model] + gain[rank - 1] for model, rank in of_models.items()
        }
        moved[doc_id] = _apart(changes.values())
    return moved


def lowest(query: QueryTops, model: str, holes: Iterable[str]) -> float:
    """The lowest nDCG@k of the model over all grades 0 to 3 that these documents may get.

    The gain is linear in the grades and the ideal convex, so the quotient is quasi-concave and its
    minimum stands where each grade is 0 or 3; of so many threes the worst are those that add least.
    """
    weights = sorted(_weights(query, query.tops[model], holes))
    quotients = _with_threes(query, query.dcg[model], weights)
    return float(quotients.min())


def highest(query: QueryTops, model: str, holes: Iterable[str]) -> float:
    """The highest nDCG@k of the model over all grades 0 to 3 that these documents may get.

    What the model does not show gets 0, for it only adds to the ideal; of the documents it shows
    none gets a higher grade than one above it.
    """
    weights = [weight for weight in _weights(query, query.tops[model], holes) if weight]
    return float(_with_any_grades(query, query.dcg[model], sorted(weights, reverse=True)).max())


def furthest_ahead(query: QueryTops, model: str, other: str, holes: Iterable[str]) -> float:
    """The most by which the model's nDCG@k can exceed the other's, over all grades 0 to 3; -1 to 1.

    Where it can be ahead, as `highest` with the difference of the discounts as weights. Where it is
    behind under all grades, the most is where the difference counts least against the ideal: a
    quasi-convex quotient, so each grade is 0 or 3.
    """
    asked = list(holes)
    mine, theirs = (_weights(query, query.tops[name], asked) for name in (model, other))
    weights = sorted((a - b for a, b in zip(mine, theirs, strict=True)), reverse=True)
    dcg = query.dcg
    base = dcg[model] - dcg[other]
    helping = [weight for weight in weights if weight > 0]
    if base + HIGHEST_GRADE * math.fsum(helping) >= 0:
        return float(_with_any_grades(query, base, helping).max())
    return float(_with_threes(query, base, weights).max())


def _apart(changes: Iterable[float]) -> float:
    several = list(changes)
    return max(several) - min(several) if len(several) > 1 else abs(several[0])


def _weights(query: QueryTops, top: Sequence[str], holes: Iterable[str]) -> list[float]:
    """The discount of each of the documents in the ranking, 0 where it is not among the first k."""
    place = dict(zip(top, discounts(query.k), strict=False))
    return [place.get(doc_id, 0.0) for doc_id in holes]


def _with_threes(query: QueryTops, base: float, weights: Sequence[float]) -> "NDArray[np.float64]":
    """(base + gains) / ideal, with 0, 1, 2, … of the first weights at grade 3 and others at 0."""
    import numpy as np

    counts = np.arange(len(weights) + 1)
    sums = np.concatenate([[0.0], np.cumsum(weights)])
    return _quotients(query, base, sums, [counts] * HIGHEST_GRADE)


def _with_any_grades(
    query: QueryTops, base: float, weights: Sequence[float]
) -> "NDArray[np.float64]":
    """(base + gains) / ideal, for all grades 0 to 3 that do not rise along the weights."""
    import numpy as np

    sums = np.concatenate([[0.0], np.cumsum(weights)])
    return _quotients(query, base, sums, _falling(len(weights)))


def _quotients(
    query: QueryTops,
    base: float,
    sums: "NDArray[np.float64]",
    counts: "Sequence[NDArray[np.intp]]",
) -> "NDArray[np.float64]":
    """The quotients where counts[l] of the holes have a grade above l."""
    import numpy as np

    ideals = np.array(ideal_sums(query.k))
    over, under = np.full(len(counts[0]), base), np.zeros(len(counts[0]))
    for level, n in enumerate(query.at_least):
        more = counts[level] if level < HIGHEST_GRADE else 0
        over += sums[more]
        under += ideals[np.minimum(n + more, query.k)]
    quotients: NDArray[np.float64] = np.divide(
        over, under, out=np.zeros(len(under)), where=under > 0
    )
    return quotients


@lru_cache(maxsize=64)
def _falling(n: int) -> "list[NDArray[np.intp]]":
    """All (a, b, c) with n >= a >= b >= c >= 0, as three arrays: C(n + 3, 3) of them."""
    import numpy as np

    every = np.indices((n + 1,) * HIGHEST_GRADE).reshape(HIGHEST_GRADE, -1)
    kept = (every[0] >= every[1]) & (every[1] >= every[2])
    return list(every[:, kept])
