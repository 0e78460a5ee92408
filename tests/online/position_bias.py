"""A log whose relevance and position bias are known, and how well measures order its documents."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from online.evidence import Evidence, PairEvidence, find_evidence
from tests.online.logs import lake_of

MEASURES = ("ctr", "coec", "sdbn")


@dataclass(frozen=True)
class World:
    """Queries with documents of known attractiveness, shown by two rankers.

    Attributes:
        queries: How many.
        documents: How many each has.
        searches: How many searches each query gets, a half by each ranker.
        looks: How likely people look at rank 1, 2, …; with "cascade" this is not asked.
        noise: By how much the better ranker errs; the other one shows documents at random.
        cascade: Whether people read from above until a clicked document satisfies them.
    """

    queries: int
    documents: int
    searches: int
    looks: Sequence[float]
    noise: float = 0.3
    cascade: bool = False


def attractiveness(world: World, seed: int) -> list[dict[str, float]]:
    """Of each query: document -> how likely who looks at it clicks."""
    chance = random.Random(seed)
    return [
        {f"d{n}": chance.choice([0.02, 0.1, 0.25, 0.5, 0.8]) * chance.uniform(0.8, 1.2)
         for n in range(world.documents)}
        for _ in range(world.queries)
    ]  # fmt: skip


def simulate(world: World, seed: int, folder: Path) -> tuple[Evidence, list[dict[str, float]]]:
    """The evidence of a simulated log, and the truth."""
    truth = attractiveness(world, seed)
    chance = random.Random(seed + 1)
    searches: list[dict[str, Any]] = []
    clicks: list[dict[str, Any]] = []
    for number, documents in enumerate(truth):
        rankings = _rankings(documents, world.noise, chance)
        for nth in range(world.searches):
            listed = rankings[nth % 2]
            key = len(searches)
            places = _clicked(documents, listed, world, chance)
            searches.append(_search(key, f"query {number}", listed, places))
            clicks += [_click(key, listed, place) for place in places]
    folder.mkdir(parents=True, exist_ok=True)
    return find_evidence(lake_of(folder, searches, clicks), folder / "cache"), truth


def _rankings(documents: dict[str, float], noise: float, chance: random.Random) -> list[list[str]]:
    """By a ranker that knows something, and by one that knows nothing."""
    scores = {doc: -value + chance.gauss(0, noise) for doc, value in documents.items()}
    return [
        sorted(documents, key=scores.__getitem__),
        chance.sample(list(documents), len(documents)),
    ]


def _clicked(
    documents: dict[str, float], listed: list[str], world: World, chance: random.Random
) -> list[int]:
    places = []
    for place, doc in enumerate(listed, 1):
        looks = True if world.cascade else chance.random() < world.looks[place - 1]
        if looks and chance.random() < documents[doc]:
            places.append(place)
            if world.cascade and chance.random() < 0.6:
                break
    return places


def _search(key: int, query: str, listed: list[str], places: list[int]) -> dict[str, Any]:
    return {
        "search_key": key, "query": query, "session_id": f"s{key}", "retrieved_doc_ids": listed,
        "n_results": len(listed), "n_clicks": len(places), "n_ranked_clicks": len(places),
        "best_click_position": min(places, default=None),
    }  # fmt: skip


def _click(key: int, listed: list[str], place: int) -> dict[str, Any]:
    return {
        "search_key": key, "session_id": f"s{key}", "doc_id": listed[place - 1], "rank": place,
        "position": place,
    }  # fmt: skip


def orders(evidence: Evidence, truth: list[dict[str, float]]) -> dict[str, float]:
    """Measure -> Kendall's tau-b with the truth, the mean over queries."""
    found = evidence.of_texts([f"query {number}" for number in range(len(truth))])
    by_query = list(zip(found.values(), truth, strict=True))

    def mean_tau(value: Callable[[PairEvidence], float]) -> float:
        return sum(
            tau([value(p) for p in pairs], [docs[p.doc_id] for p in pairs])
            for pairs, docs in by_query
        ) / len(by_query)

    return {name: mean_tau(partial(_value, name)) for name in MEASURES}


def _value(measure: str, pair: PairEvidence) -> float:
    return getattr(pair, measure).value or 0.0


def tau(one: Sequence[float], other: Sequence[float]) -> float:
    """Kendall's tau-b by all pairs."""

    def sign(a: float, b: float) -> int:
        return (a > b) - (a < b)

    pairs = [(i, j) for i in range(len(one)) for j in range(i)]
    signs = [(sign(one[i], one[j]), sign(other[i], other[j])) for i, j in pairs]
    both = sum(a * b for a, b in signs)
    norm = sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs)
    return both / norm**0.5 if norm else 0.0


def share_at_first(evidence: Evidence) -> float:
    """The share of all clicks at rank 1."""
    ranks = evidence.summary.rank_ctr
    return next(row.clicks for row in ranks if row.rank == 1) / sum(row.clicks for row in ranks)


INVERSE = [1 / rank for rank in range(1, 11)]
"""The examination of the position-based model in most papers: 1 / rank."""
STEEP = [1.0, 0.22, 0.13, 0.09, 0.07, 0.06, 0.05, 0.045, 0.04, 0.035]
"""With which rank 1 gets about 60 % of all clicks."""
