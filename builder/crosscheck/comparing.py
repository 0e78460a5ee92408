"""One rater's grades against the aggregated ones: nDCG@10 and ranking of models by both. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from estimates import Estimate, finite_or_none, mean_interval
from evals.measures import ndcg_at_k

K = 10
MIN_QUERIES = 20
"""With fewer queries one document can move a mean by some hundredths."""

MIN_MODELS = 3
"""Of two models there is one order or the other: no correlation of rankings."""

_DIGITS = 9
"""Means that differ by less differ by rounding."""

Tops = Mapping[str, Mapping[str, Sequence[str]]]
"""Model -> query_id -> its first ten documents, the best first."""


@dataclass(slots=True)
class Comparison:
    """What the models score by one rater's grades and by the aggregated ones, query by query.

    Both sides hold the same queries and, in each, the same pairs: those that this rater graded.
    The aggregated qrels hold more pairs, and against a smaller set an unjudged document counts 0
    and another ideal is reached; scores would move though nobody disagreed.

    The aggregated grade holds this rater's own. Where two graded a pair and the lower grade wins,
    the stricter of them moves nothing and the other one all: what is measured is how far the qrels
    would be others, not who is right.

    Two kinds of queries are left out, since they would hide what is looked for. Where nobody else
    graded any of the pairs, both sides are the same grades, and the difference of 0 is no
    agreement. Where no pair is relevant by one of the sides, nDCG is undefined there, and a 0
    would move all models alike; an export leaves such queries out too.

    Attributes:
        rater: Whose grades.
        n_graded: Pairs of the task that this rater graded.
        n_pairs: Those of the queries that are compared.
        n_queries: The queries that are compared.
        n_shared: Of these, pairs on which the aggregated grade is not this rater's alone.
        n_different: Of these, pairs on which the aggregated grade is another one.
        left_out: not_in_task and newer_than_task (pairs), not_shared and without_relevant
            (queries).
        own: Model -> nDCG@10 of each query by this rater's grades.
        aggregated: Model -> the same by the aggregated grades.
        judged: Model -> share of its first ten that this rater graded; a query without any
            document has none.
    """

    rater: str
    n_graded: int = 0
    n_pairs: int = 0
    n_shared: int = 0
    n_different: int = 0
    n_queries: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    own: dict[str, list[float]] = field(default_factory=dict)
    aggregated: dict[str, list[float]] = field(default_factory=dict)
    judged: dict[str, list[float]] = field(default_factory=dict)

    def add_query(
        self,
        own: Mapping[str, int],
        aggregated: Mapping[str, int],
        n_shared: int,
        tops: Mapping[str, Sequence[str]],
    ) -> None:
        """Take one query in.

        Args:
            own: doc_id -> this rater's grade; not empty.
            aggregated: The same documents -> the aggregated grade.
            n_shared: On how many of them the aggregated grade is not this rater's alone.
            tops: Model -> its first ten documents for this query.
        """
        self.n_graded += len(own)
        if not n_shared:
            self.left_out["not_shared"] += 1
        elif max(own.values()) <= 0 or max(aggregated.values()) <= 0:
            self.left_out["without_relevant"] += 1
        else:
            self.n_queries += 1
            self.n_pairs += len(own)
            self.n_shared += n_shared
            self.n_different += sum(grade != aggregated[doc_id] for doc_id, grade in own.items())
            for model, top in tops.items():
                self._score(model, top, own, aggregated)

    def _score(
        self, model: str, top: Sequence[str], own: Mapping[str, int], aggregated: Mapping[str, int]
    ) -> None:
        for grades, scores in ((own, self.own), (aggregated, self.aggregated)):
            scores.setdefault(model, []).append(ndcg_at_k(top, grades, K) or 0.0)
        judged = self.judged.setdefault(model, [])
        if top:
            judged.append(sum(doc_id in own for doc_id in top) / len(top))

    @property
    def reason(self) -> str | None:
        """Why nothing can be compared: a code; None if it can."""
        if not self.n_graded:
            return "no_pair_in_task"
        if not self.n_queries:
            shared = self.left_out["without_relevant"]
            return "no_relevant_document" if shared else "no_shared_pair"
        return "too_few_queries" if self.n_queries < MIN_QUERIES else None

    def as_json(self) -> dict[str, Any]:
        """What `cost_of_disagreement` tells of one rater."""
        told = {
            "rater": self.rater,
            "reason": self.reason,
            "n_queries": self.n_queries,
            "n_graded": self.n_graded,
            "n_pairs": self.n_pairs,
            "n_shared": self.n_shared,
            "n_different": self.n_different,
            "left_out": dict(sorted(self.left_out.items())),
        }
        return told | (self._undefined() if self.reason else self._scores())

    def _undefined(self) -> dict[str, Any]:
        return {
            "models": [],
            "ranking_by_rater": None,
            "ranking_by_aggregated": None,
            "first_stays": None,
            "kendall_tau": Estimate.undefined(self.reason or "").as_json(),
        }

    def _scores(self) -> dict[str, Any]:
        own = {model: mean_interval(scores, low=0, high=1) for model, scores in self.own.items()}
        aggregated = {
            model: mean_interval(scores, low=0, high=1) for model, scores in self.aggregated.items()
        }
        by_rater, by_aggregated = ranking(own), ranking(aggregated)
        return {
            "models": [
                {
                    "model": model,
                    "by_rater": own[model].as_json(),
                    "by_aggregated": aggregated[model].as_json(),
                    "difference": self._difference(model).as_json(),
                    "judged_at_10": mean_interval(self.judged[model], low=0, high=1).as_json(),
                }
                for model in by_aggregated
            ],
            "ranking_by_rater": by_rater,
            "ranking_by_aggregated": by_aggregated,
            "first_stays": _rounded(own[by_aggregated[0]]) == _rounded(own[by_rater[0]]),
            "kendall_tau": kendall_tau(own, aggregated).as_json(),
        }

    def _difference(self, model: str) -> Estimate:
        """By this rater less by all, paired by query; in [-1, 1]."""
        pairs = zip(self.own[model], self.aggregated[model], strict=True)
        return mean_interval([one - other for one, other in pairs], low=-1, high=1)


def ranking(means: Mapping[str, Estimate]) -> list[str]:
    """The models, the best first; equal ones in alphabetical order."""
    return sorted(means, key=lambda model: (-_rounded(means[model]), model))


def kendall_tau(own: Mapping[str, Estimate], aggregated: Mapping[str, Estimate]) -> Estimate:
    """Kendall's tau-b of the models' means, in [-1, 1]; n is the number of models.

    Undefined with fewer than three models, or where all are equal by one of the sides. It has no
    interval: the models are no sample of anything. Kendall (1945), The treatment of ties.
    """
    if len(own) < MIN_MODELS:
        return Estimate.undefined("fewer_than_three_models", n=len(own))
    from scipy.stats import kendalltau

    sides = ([_rounded(side[model]) for model in own] for side in (own, aggregated))
    tau = finite_or_none(float(kendalltau(*sides, variant="b").statistic))
    if tau is None:
        return Estimate.undefined("all_models_equal", n=len(own))
    return Estimate(tau, n=len(own), reason="a_ranking_has_no_interval")


def _rounded(mean: Estimate) -> float:
    return round(mean.value or 0.0, _DIGITS)
