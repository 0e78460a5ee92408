"""The records of holes: which pairs, of which models, and what judged@k becomes by judging them."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any


@dataclass(frozen=True, slots=True)
class Hole:
    """An unjudged document in the top k of at least one model.

    Attributes:
        query_id: The query.
        doc_id: The document.
        ranks: Model -> its 1-based rank there, of the models that have it in their top k.
        movement: By how much a grade of 3 moves the mean nDCG@k of the models apart, in [0, 1]:
            the largest minus the smallest change over all models, divided by the number of
            queries; of a single model the size of its own change.
    """

    query_id: str
    doc_id: str
    ranks: Mapping[str, int]
    movement: float

    @property
    def best_rank(self) -> int:
        """The best rank in any model."""
        return min(self.ranks.values())

    def as_json(self) -> dict[str, Any]:
        """The fields by name."""
        return {
            "query_id": self.query_id,
            "doc_id": self.doc_id,
            "ranks": dict(self.ranks),
            "movement": self.movement,
        }


@dataclass(frozen=True, slots=True)
class Judged:
    """What is judged of one model's top k.

    Attributes:
        found: query_id -> how many documents are in its top k: min(k, found).
        by_found: So many documents found -> how many of all such queries' documents are judged.
    """

    found: Mapping[str, int]
    by_found: Counter[int]

    def share(self, more: Iterable[str] = ()) -> float | None:
        """judged@k, the mean over queries with a document; None where there is none.

        Args:
            more: The query of each further document of the top k that is judged.
        """
        answered = sum(found > 0 for found in self.found.values())
        if not answered:
            return None
        judged = self.by_found + Counter(self.found[query_id] for query_id in more)
        return math.fsum(n / found for found, n in judged.items()) / answered


@dataclass(frozen=True, slots=True)
class Holes:
    """The holes of one comparison, by the grades of this moment.

    Attributes:
        task: NAME@N, draft, or a folder's name; "" where nothing was evaluated.
        release: The number of the release; None where it is none.
        k: How many ranks are looked at.
        reason: Why there is nothing to judge: no_results, no_kept_run, all_judged, or
            nobody_to_ask (what is unjudged is all in `left_out`); None if there are holes, here
            or in the queue.
        n_queries: Judged queries of the task.
        models: The best first: {"model", "model_key", "judged_before" (judged@k now; None where
            nothing was found), "judged_queued" (once all that is queued was judged), "unjudged"
            (documents in its top k), "ndcg" (mean nDCG@k now), "lowest", "highest" (what grades
            for holes and queued pairs could make of it; None where k is too deep)}.
        holes: Pairs that the pool does not hold, the one that moves most first.
        queued: Likewise, pairs that wait in the queue already.
        graded_since: Pairs in the top k that were graded after the task was frozen: no holes.
        left_out: Reason -> unjudged pairs for which nobody can be asked: query_unknown,
            query_retired, document_unknown, nobody_asked (in the pool, given up or set aside).
        left_out_models: {"model", "why": "stale_run" | "no_kept_run"} of models that have a
            result here and no run of this corpus and these queries.
        winner: The model with the highest nDCG@k now; None without any.
        winner_can_change: Whether grades for holes and queued pairs exist by which another model is
            ahead of it; None with fewer than two models, or where k is too deep.
        judged: Model -> what is judged of it.
    """

    task: str
    release: int | None
    k: int
    reason: str | None
    n_queries: int = 0
    models: Sequence[Mapping[str, Any]] = ()
    holes: Sequence[Hole] = ()
    queued: Sequence[Hole] = ()
    graded_since: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    left_out_models: Sequence[Mapping[str, str]] = ()
    winner: str | None = None
    winner_can_change: bool | None = None
    judged: Mapping[str, Judged] = field(default_factory=dict, repr=False)

    def after(self, n: int) -> dict[str, float | None]:
        """Model -> judged@k once the first `n` of `holes` and all that is queued were judged.

        The mean over judged queries of judged documents among the first k / min(k, found); None
        where a model found nothing.
        """
        more: dict[str, list[str]] = {model: [] for model in self.judged}
        for hole in chain(self.queued, self.holes[:n]):
            for model in hole.ranks:
                more[model].append(hole.query_id)
        return {model: judged.share(more[model]) for model, judged in self.judged.items()}

    def as_json(self, limit: int | None = None) -> dict[str, Any]:
        """All of it; at most `limit` holes and as many queued pairs, with the number of each."""
        return {
            "task": self.task,
            "release": self.release,
            "k": self.k,
            "reason": self.reason,
            "n_queries": self.n_queries,
            "models": [dict(row) for row in self.models],
            "n_holes": len(self.holes),
            "n_queued": len(self.queued),
            "holes": [hole.as_json() for hole in self.holes[:limit]],
            "queued": [hole.as_json() for hole in self.queued[:limit]],
            "graded_since": self.graded_since,
            "left_out": dict(self.left_out),
            "left_out_models": [dict(row) for row in self.left_out_models],
            "winner": self.winner,
            "winner_can_change": self.winner_can_change,
        }
