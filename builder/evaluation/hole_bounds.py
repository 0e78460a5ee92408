"""Between which values judging the holes could bring each model, and whether the first can lose."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from builder.evaluation.hole_gains import QueryTops, furthest_ahead, highest, lowest
from evals.records import Progress

DEEPEST = 20
"""Up to this k bounds are computed: all grades of k holes are C(k + 3, 3) ways, 1,771 of 20."""

TELL_EVERY = 100
_NOISE = 1e-12
"""Sums of a thousand quotients are exact to about this much."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the mean nDCG@k of the models is and can become.

    Attributes:
        ndcg: Model -> now; a query without a relevant document counts 0.
        lowest: Model -> the lowest value by any grades 0 to 3 for the holes; empty: not computed.
        highest: Likewise the highest.
        winner: The model with the highest nDCG now, by name among equals; None without models.
        winner_can_change: Whether grades for the holes exist by which another model is ahead of it;
            None with fewer than two models, or where it was not computed.
    """

    ndcg: Mapping[str, float]
    lowest: Mapping[str, float]
    highest: Mapping[str, float]
    winner: str | None
    winner_can_change: bool | None


def find_bounds(
    queries: Sequence[tuple[QueryTops, Sequence[str]]],
    models: Sequence[str],
    progress: Progress | None = None,
) -> Bounds:
    """The bounds over all queries, each with its holes; all grades of a query are independent.

    Args:
        queries: Each query, and the unjudged documents for which grades may come.
        models: Their names.
        progress: Hears how far it is.
    """
    now: dict[str, list[float]] = {model: [] for model in models}
    for query, _ in queries:
        for model, value in query.ndcg().items():
            now[model].append(value)
    means = _means(now)
    winner = min(models, key=lambda model: (-means[model], model), default=None)
    if winner is None or any(query.k > DEEPEST for query, _ in queries):
        return Bounds(means, {}, {}, winner, None)
    extremes = _Extremes(winner, {model: ([], [], []) for model in models})
    for done, (query, holes) in enumerate(queries):
        if progress is not None and done % TELL_EVERY == 0:
            progress("finding what judging can change", done, len(queries))
        extremes.take(query, holes)
    return extremes.bounds(means)


@dataclass(frozen=True, slots=True)
class _Extremes:
    """Of each model query by query: lowest, highest, and furthest ahead of the winner."""

    winner: str
    of_models: Mapping[str, tuple[list[float], list[float], list[float]]]

    def take(self, query: QueryTops, holes: Sequence[str]) -> None:
        for model, (low, high, ahead) in self.of_models.items():
            low.append(lowest(query, model, holes))
            high.append(highest(query, model, holes))
            if model != self.winner:
                ahead.append(furthest_ahead(query, model, self.winner, holes))

    def bounds(self, now: Mapping[str, float]) -> Bounds:
        low, high, ahead = (
            _means({model: every[part] for model, every in self.of_models.items()})
            for part in range(3)
        )
        can_change = any(value > _NOISE for value in ahead.values())
        return Bounds(now, low, high, self.winner, can_change if len(now) > 1 else None)


def _means(values: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {model: _mean(of_model) for model, of_model in values.items()}


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
