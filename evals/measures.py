"""What is measured: the formulas of trec_eval, computed by trec_eval itself (pytrec_eval).

Conventions, all trec_eval's: the gain of a grade is the grade (linear), a negative grade gains 0;
the ideal ranking is made of all judged documents; equal scores, compared as 32-bit floats, are
ordered by doc_id descending, whatever the order of the run; a document without judgment is not
relevant. A judged query that the run misses scores 0 and is counted (`trec_eval -c`). Binary
measures take a grade of at least `relevance_level` as relevant; nDCG takes the grades themselves.
"""

import math
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import MappingProxyType

from estimates import Estimate, mean_interval
from evals.records import EvalsError, Qrels, Run

CUTOFFS = (1, 3, 5, 10, 20, 100, 1000)
NOTHING_RETRIEVED = "nothing_retrieved"
NO_JUDGED_QUERY = "no_judged_query"


@dataclass(frozen=True, slots=True)
class Measure:
    """One family of measures.

    Attributes:
        title: How people write it.
        trec_name: trec_eval's name of it; "" where it is computed here.
        cut: Whether it is taken at the cut-offs.
        uncut: Whether it is taken over the whole run.
        meaning: Formula, variant and source.
    """

    title: str
    trec_name: str
    cut: bool
    uncut: bool
    meaning: str


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "ndcg": Measure(
            "nDCG",
            "ndcg_cut",
            cut=True,
            uncut=False,
            meaning="sum over ranks r <= k of grade / log2(r + 1), divided by the same sum for "
            "the best order of all judged documents; 0 where none is relevant. "
            "Järvelin and Kekäläinen (2002), linear gain.",
        ),
        "recall": Measure(
            "Recall",
            "recall",
            cut=True,
            uncut=False,
            meaning="relevant documents among the first k, divided by all relevant documents.",
        ),
        "precision": Measure(
            "P",
            "P",
            cut=True,
            uncut=False,
            meaning="relevant documents among the first k, divided by k.",
        ),
        "mrr": Measure(
            "MRR",
            "",
            cut=True,
            uncut=True,
            meaning="1 / rank of the first relevant document; 0 where none is among the first k.",
        ),
        "map": Measure(
            "MAP",
            "map_cut",
            cut=True,
            uncut=True,
            meaning="sum of the precision at the rank of each relevant document among the first "
            "k, divided by all relevant documents. Buckley and Voorhees (2000).",
        ),
        "bpref": Measure(
            "bpref",
            "",
            cut=False,
            uncut=True,
            meaning="mean over relevant documents of 1 - (judged non-relevant documents ranked "
            "above it, at most R) / min(R, N); needs no judgment of every document. "
            "Buckley and Voorhees (2004).",
        ),
        "judged": Measure(
            "judged",
            "",
            cut=True,
            uncut=False,
            meaning="judged documents among the first k, divided by min(k, retrieved); none for "
            "a query with nothing retrieved.",
        ),
    }
)
"""Family -> what it is. A measure at a cut-off is called `<family>_at_<k>`."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The measures of one run on one set of judgments.

    Attributes:
        query_ids: The judged queries, sorted.
        values: Measure -> one value per query in the order of `query_ids`; in [0, 1], None where
            it is undefined (judged@k of a query with nothing retrieved).
        means: Measure -> mean over the queries with n and 95 % interval.
        relevance_level: The grade from which binary measures take a document as relevant.
        unanswered: Judged queries for which the run has no document; they score 0.
        without_relevant: Judged queries without any relevant document; they score 0.
    """

    query_ids: tuple[str, ...]
    values: Mapping[str, Sequence[float | None]]
    means: Mapping[str, Estimate]
    relevance_level: int = 1
    unanswered: tuple[str, ...] = ()
    without_relevant: tuple[str, ...] = ()

    def per_query(self) -> dict[str, dict[str, float | None]]:
        """query_id -> measure -> value."""
        return {
            query_id: {measure: values[place] for measure, values in self.values.items()}
            for place, query_id in enumerate(self.query_ids)
        }


def score(qrels: Qrels, run: Run, relevance_level: int = 1, k: int | None = None) -> Scores:
    """All measures of the run, per query and as means over all judged queries.

    Args:
        qrels: The judgments.
        run: The scores of retrieved documents; queries without judgments are ignored.
        relevance_level: Smallest grade that counts as relevant in binary measures, at least 1.
        k: A cut-off beside the usual ones (1, 3, 5, 10, 20, 100, 1000).

    Returns:
        The scores; without judged queries the means are undefined, with the reason.

    Raises:
        EvalsError: A score is NaN or no number, a grade is no whole number, or `k` or
            `relevance_level` is below 1.
    """
    if relevance_level < 1 or (k is not None and k < 1):
        raise EvalsError("k and relevance_level must be at least 1")
    judged = {query_id: _grades(query_id, qrels[query_id]) for query_id in sorted(qrels)}
    judged = {query_id: grades for query_id, grades in judged.items() if grades}
    padded = {query_id: _scores(query_id, run.get(query_id, {})) for query_id in judged}
    cutoffs = sorted({*CUTOFFS, *([k] if k else [])})
    values: dict[str, Sequence[float | None]] = {
        **_trec_values(judged, padded, relevance_level, cutoffs),
        **_judged_values(judged, padded, cutoffs),
    }
    return Scores(
        query_ids=tuple(judged),
        values=values,
        means={measure: mean_over(column) for measure, column in values.items()},
        relevance_level=relevance_level,
        unanswered=tuple(query_id for query_id, found in padded.items() if not found),
        without_relevant=tuple(
            query_id
            for query_id, grades in judged.items()
            if max(grades.values()) < relevance_level
        ),
    )


def ranked(scores: Mapping[str, float]) -> list[str]:
    """The doc_ids in trec_eval's order: score (as 32-bit float) and then doc_id, descending."""
    single = array("f", scores.values())
    return [doc_id for _, doc_id in sorted(zip(single, scores, strict=True), reverse=True)]


def mean_over(column: Sequence[float | None]) -> Estimate:
    """Mean of a measure over queries with its 95 % interval, in [0, 1].

    Args:
        column: One value a query; None, where it is undefined, is left out.

    Returns:
        The estimate; without a value and with the reason where no query has one.
    """
    defined = [value for value in column if value is not None]
    if defined:
        return mean_interval(defined, low=0.0, high=1.0)
    return Estimate.undefined(NOTHING_RETRIEVED if column else NO_JUDGED_QUERY)


def ndcg_at_k(ranking: Sequence[str], grades: Mapping[str, int], k: int = 10) -> float | None:
    """Normalised DCG of one ranking, in [0, 1]: linear gain, ideal from all judged documents.

    sum over ranks r <= k of grade / log2(r + 1), divided by the same sum for the best order of
    `grades`. Järvelin and Kekäläinen (2002); the variant is trec_eval's.

    Args:
        ranking: doc_ids, the best first, each once.
        grades: doc_id -> grade of the judged documents; others count as 0, negative ones too.
        k: How many ranks count.

    Returns:
        The value; None where no judged document has a positive grade, so that no order is ideal
        (trec_eval writes 0 there).

    Raises:
        ValueError: `k` is below 1 or a document stands in the ranking twice.

    >>> round(ndcg_at_k(["d2", "d4", "d1"], {"d1": 3, "d2": 2, "d3": 1, "d4": 0}), 4)
    0.735
    """
    if k < 1:
        raise ValueError(f"k == {k}, must be at least 1")
    if len(set(ranking)) < len(ranking):
        raise ValueError("a document stands in the ranking twice")
    ideal = _dcg(sorted(grades.values(), reverse=True)[:k])
    if ideal == 0:
        return None
    return _dcg([grades.get(doc_id, 0) for doc_id in ranking[:k]]) / ideal


@dataclass(frozen=True, slots=True)
class Recommendation:
    """Which measures suit a set of judgments.

    Attributes:
        metric: The one to decide by, named as in results.
        metrics: The ones to report.
        reason: Why, in words.
    """

    metric: str
    metrics: tuple[str, ...]
    reason: str


def recommended_metric(qrels: Qrels) -> Recommendation:
    """The measures that suit these judgments, and why.

    Graded: nDCG, the only one that tells the grades apart. One relevant document a query: MRR
    and recall, which then say all there is. Several of one grade: nDCG and MAP.
    """
    positive = [[grade for grade in grades.values() if grade > 0] for grades in qrels.values()]
    most = max((len(grades) for grades in positive), default=0)
    distinct = len({grade for grades in positive for grade in grades})
    if distinct > 1:
        reason = f"relevant documents have {distinct} different grades, and nDCG weighs them"
        return Recommendation("ndcg_at_10", ("ndcg_at_10",), reason)
    if most == 1:
        reason = "each query has one relevant document: what matters is its rank"
        return Recommendation("mrr_at_10", ("mrr_at_10", "recall_at_10"), reason)
    reason = f"queries have up to {most} relevant documents, all of one grade"
    if most == 0:
        reason = "no query has a relevant document: every measure is 0"
    return Recommendation("ndcg_at_10", ("ndcg_at_10", "map"), reason)


def _dcg(grades: Sequence[int]) -> float:
    return math.fsum(
        grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1) if grade > 0
    )


def _grades(query_id: str, grades: Mapping[str, int]) -> dict[str, int]:
    """Grades as Python ints: the C code takes no others."""
    if {*map(type, grades.values())} <= {int}:
        return dict(grades)
    whole = {doc_id: int(grade) for doc_id, grade in grades.items()}
    odd = [doc_id for doc_id, grade in grades.items() if whole[doc_id] != grade]
    if odd:
        raise EvalsError(f"the grade of {query_id!r} {odd[0]!r} is no whole number")
    return whole


def _scores(query_id: str, scores: Mapping[str, float]) -> dict[str, float]:
    """Scores as Python floats, none of them NaN, which has no place in an order."""
    if not {*map(type, scores.values())} <= {float, int}:
        scores = {doc_id: float(number) for doc_id, number in scores.items()}
    if math.isnan(sum(scores.values())):
        bad = [doc_id for doc_id, number in scores.items() if math.isnan(number)]
        if bad:
            raise EvalsError(
                f"the score of {len(bad)} documents of query {query_id!r} is NaN, the first is "
                f"{bad[0]!r}",
                hint="A model that gives NaN cannot be measured; look at its embeddings.",
            )
    return scores if isinstance(scores, dict) else dict(scores)


def _trec_values(
    judged: Mapping[str, Mapping[str, int]],
    padded: Mapping[str, Mapping[str, float]],
    relevance_level: int,
    cutoffs: Sequence[int],
) -> dict[str, list[float]]:
    """Measure -> values, from trec_eval; the run holds every judged query."""
    import pytrec_eval

    depths = ",".join(map(str, cutoffs))
    families = {name: measure.trec_name for name, measure in MEASURES.items() if measure.trec_name}
    wanted = {f"{trec_name}.{depths}" for trec_name in families.values()}
    evaluator = pytrec_eval.RelevanceEvaluator(
        judged, wanted | {"map", "recip_rank", "bpref"}, relevance_level=relevance_level
    )
    # An empty ranking scores 0 in all of these. pytrec_eval 0.5.11 dies of one where map and bpref
    # are asked together and no ranking with documents came before, so it never sees it.
    found = evaluator.evaluate({query_id: scores for query_id, scores in padded.items() if scores})
    zeros: Mapping[str, float] = defaultdict(float)
    rows = [found.get(query_id, zeros) for query_id in judged]
    columns = {
        f"{family}_at_{k}": f"{trec_name}_{k}"
        for family, trec_name in families.items()
        for k in cutoffs
    } | {"mrr": "recip_rank", "map": "map", "bpref": "bpref"}
    values = {name: list(map(itemgetter(column), rows)) for name, column in columns.items()}
    return values | _cut_reciprocal_ranks(values["mrr"], cutoffs)


def _cut_reciprocal_ranks(
    reciprocal_ranks: Sequence[float], cutoffs: Sequence[int]
) -> dict[str, list[float]]:
    """What recip_rank of the first k documents is: the same, or 0 beyond k."""
    ranks = [round(1 / value) if value else math.inf for value in reciprocal_ranks]
    pairs = list(zip(ranks, reciprocal_ranks, strict=True))
    return {f"mrr_at_{k}": [value if rank <= k else 0.0 for rank, value in pairs] for k in cutoffs}


def _judged_values(
    judged: Mapping[str, Mapping[str, int]],
    padded: Mapping[str, Mapping[str, float]],
    cutoffs: Sequence[int],
) -> dict[str, list[float | None]]:
    """judged@k of each query: judged among the first k / min(k, retrieved)."""
    values: dict[str, list[float | None]] = {f"judged_at_{k}": [] for k in cutoffs}
    columns = list(zip(cutoffs, values.values(), strict=True))
    for query_id, grades in judged.items():
        scores = padded[query_id]
        ranks = _ranks(grades.keys() & scores.keys(), scores)
        for k, column in columns:
            retrieved = min(k, len(scores))
            column.append(bisect_right(ranks, k) / retrieved if retrieved else None)
    return values


def _ranks(doc_ids: Collection[str], scores: Mapping[str, float]) -> list[int]:
    """The 1-based ranks of these documents in trec_eval's order, ascending."""
    if not doc_ids:
        return []
    ascending = sorted(array("f", scores.values()))
    ranks = []
    for number in array("f", [scores[doc_id] for doc_id in doc_ids]):
        end = bisect_right(ascending, number)
        if end - bisect_left(ascending, number) > 1:  # a tie: the doc_ids decide
            return [rank for rank, doc in enumerate(ranked(scores), start=1) if doc in doc_ids]
        ranks.append(len(ascending) - end + 1)
    return sorted(ranks)
