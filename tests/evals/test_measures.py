"""Measures against trec_eval's known answers, hand calculations and an independent oracle."""

import json
import math
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.measures import CUTOFFS, ndcg_at_k, ranked, recommended_metric, score
from evals.records import EvalsError

CASES = json.loads(
    (Path(__file__).parents[1] / "cases" / "metric_cases.json").read_text(encoding="utf-8")
)
# trec_eval's name -> ours
NAMES = {
    "ndcg_cut": "ndcg",
    "recall": "recall",
    "P": "precision",
    "map_cut": "map",
    "recip_rank": "mrr",
    "map": "map",
    "bpref": "bpref",
}


def our_name(trec_name: str) -> str | None:
    """The name of trec_eval's measure here; None for those that we do not have."""
    if trec_name in ("map", "bpref", "recip_rank"):
        return NAMES[trec_name]
    family, _, depth = trec_name.rpartition("_")
    return f"{NAMES[family]}_at_{depth}" if family in NAMES else None


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["id"])
def test_known_cases(case: dict[str, Any]) -> None:
    scores = score(case["qrels"], case["run"])
    per_query = scores.per_query()
    compared = 0
    for query_id, expected in case["expected_per_query"].items():
        for trec_name, value in expected.items():
            name = our_name(trec_name)
            if name is not None:
                assert per_query[query_id][name] == pytest.approx(value, abs=1e-9), name
                compared += 1
    for trec_name, value in case["expected_mean_all_judged"].items():
        name = our_name(trec_name)
        if name is not None:
            assert scores.means[name].value == pytest.approx(value, abs=1e-9), name
            compared += 1
    assert compared >= 19
    assert set(per_query) == {query for query, grades in case["qrels"].items() if grades}


def run_of(*ranking: str) -> dict[str, dict[str, float]]:
    return {"q": {doc_id: float(-rank) for rank, doc_id in enumerate(ranking)}}


TEN = [f"d{rank}" for rank in range(1, 11)]


def test_three_relevant_at_1_4_8() -> None:
    # DCG = 1 + 1/log2(5) + 1/log2(9) = 1.7462, ideal 1 + 1/log2(3) + 1/2 = 2.1309: .8194
    # MAP = (1/1 + 2/4 + 3/8) / 3 = .625
    means = score({"q": {"d1": 1, "d4": 1, "d8": 1}}, run_of(*TEN)).means
    assert means["ndcg_at_10"].value == pytest.approx(0.8194, abs=5e-5)
    assert means["map"].value == pytest.approx(0.6250, abs=5e-5)


def test_five_relevant_of_which_three_were_found() -> None:
    # ideal = 2.1309 + 1/log2(5) + 1/log2(6) = 2.9485: .5922; MAP 1.875 / 5; recall 3 / 5
    grades = {"d1": 1, "d4": 1, "d8": 1, "x": 1, "y": 1}
    means = score({"q": grades}, run_of(*TEN)).means
    assert means["ndcg_at_10"].value == pytest.approx(0.5922, abs=5e-5)
    assert means["map"].value == pytest.approx(0.3750, abs=5e-5)
    assert means["recall_at_10"].value == pytest.approx(0.6)


def test_graded_and_the_relevance_level() -> None:
    # DCG of d2 d4 d1 = 2 + 0 + 3/2 = 3.5, ideal 3 + 2/log2(3) + 1/2 = 4.7619: .7350
    qrels = {"q": {"d1": 3, "d2": 2, "d3": 1, "d4": 0}}
    run = run_of("d2", "d4", "d1")
    means = score(qrels, run).means
    assert means["ndcg_at_10"].value == pytest.approx(0.7350, abs=5e-5)
    assert means["recall_at_10"].value == pytest.approx(2 / 3)
    stricter = score(qrels, run, relevance_level=2).means
    assert stricter["ndcg_at_10"].value == pytest.approx(0.7350, abs=5e-5)
    assert stricter["recall_at_10"].value == 1.0
    # d2 at rank 1, d1 at rank 3: (1/1 + 2/3) / 2
    assert stricter["map"].value == pytest.approx(0.8333, abs=5e-5)


def test_a_missed_query_scores_zero_and_is_counted() -> None:
    scores = score(
        {"q": {"d1": 1}, "missed": {"d1": 1}, "empty": {"d1": 1}},
        {
            "q": {"d1": 1.0},
            "empty": {},
            "unjudged query": {"d1": 1.0},
        },
    )
    assert scores.unanswered == ("empty", "missed")
    assert scores.means["ndcg_at_10"].value == pytest.approx(1 / 3)
    assert scores.means["ndcg_at_10"].n == 3
    assert set(scores.per_query()) == {"q", "missed", "empty"}


def test_judged_at_k() -> None:
    # ranks: d1 judged, d2 not, d3 judged 0, d4 not: 2 of 3 among the first 3, 2 of 4 retrieved
    scores = score({"q": {"d1": 1, "d3": 0, "elsewhere": 2}}, run_of("d1", "d2", "d3", "d4"))
    assert scores.per_query()["q"]["judged_at_1"] == 1.0
    assert scores.per_query()["q"]["judged_at_3"] == pytest.approx(2 / 3)
    assert scores.per_query()["q"]["judged_at_10"] == pytest.approx(2 / 4)


def test_judged_at_k_is_none_where_nothing_is_retrieved() -> None:
    scores = score({"q": {"d1": 1}, "missed": {"d1": 1}}, {"q": {"d1": 1.0}})
    assert scores.per_query()["missed"]["judged_at_10"] is None
    assert scores.means["judged_at_10"].n == 1
    nothing = score({"q": {"d1": 1}}, {}).means["judged_at_10"]
    assert (nothing.value, nothing.reason) == (None, "nothing_retrieved")


def test_an_empty_run_in_a_fresh_process() -> None:
    # pytrec_eval 0.5.11 dies (SIGSEGV) of an empty ranking where none with documents came before
    code = (
        "from evals.measures import score;"
        "print(score({'q': {'d': 1}}, {'q': {}}).means['map'].value)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "0.0\n")


def test_no_judged_query_is_undefined_not_zero() -> None:
    mean = score({"q": {}}, {"q": {"d1": 1.0}}).means["ndcg_at_10"]
    assert (mean.value, mean.reason, mean.n) == (None, "no_judged_query", 0)


def test_means_have_intervals_inside_the_range_of_the_measure() -> None:
    qrels = {f"q{number}": {"d": 1} for number in range(3)}
    run = {"q0": {"d": 2.0}, "q1": {"d": 2.0}, "q2": {"e": 2.0}}
    mean = score(qrels, run).means["ndcg_at_10"]
    assert mean.value == pytest.approx(2 / 3)
    # t(2, .975) = 4.3027, s = .5774, half = 4.3027 * .5774 / sqrt(3) = 1.434: clipped
    assert (mean.low, mean.high, mean.n) == (0.0, 1.0, 3)


def test_a_cut_off_of_ones_own() -> None:
    scores = score({"q": {"d7": 1}}, run_of(*TEN), k=7)
    assert scores.means["recall_at_7"].value == 1.0
    assert scores.means["mrr_at_7"].value == pytest.approx(1 / 7)
    assert scores.means["recall_at_5"].value == 0.0


def test_numpy_numbers_and_whole_floats_are_taken() -> None:
    qrels: Any = {"q": {"d": np.int64(2), "e": 1.0}}
    run: Any = {"q": {"d": np.float32(0.5), "e": np.float32(0.25)}}
    assert score(qrels, run).means["ndcg_at_10"].value == 1.0


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ({"q": {"d": 1}}, {"q": {"d": math.nan}}, "NaN"),
        ({"q": {"d": 2.5}}, {"q": {"d": 1.0}}, "no whole number"),
    ],
)
def test_what_cannot_be_measured_is_refused(qrels: Any, run: Any, message: str) -> None:
    with pytest.raises(EvalsError, match=message):
        score(qrels, run)


def test_infinite_scores_have_an_order() -> None:
    run = {"q": {"low": -math.inf, "high": math.inf, "d": 1e300, "e": 1.0}}
    # 1e300 is infinite as a 32-bit float: a tie with "high", which wins by its id
    assert ranked(run["q"]) == ["high", "d", "e", "low"]
    assert score({"q": {"d": 1}}, run).means["mrr"].value == 0.5


@pytest.mark.parametrize("level", [0, -1])
def test_relevance_level_must_be_positive(level: int) -> None:
    with pytest.raises(EvalsError, match="at least 1"):
        score({"q": {"d": 1}}, {}, relevance_level=level)


DOC_IDS = st.sampled_from([*"abcdefgh", "é", "😀", "z z"])
GRADES = st.dictionaries(DOC_IDS, st.integers(-1, 3), min_size=1)
# few distinct scores, some equal only as 32-bit floats: ties
SCORES = st.dictionaries(DOC_IDS, st.sampled_from([0.5, 0.50000000001, 1.0, -2.0]))


@settings(deadline=None)
@given(grades=GRADES, scores=SCORES, k=st.integers(1, 12))
def test_against_formulas_written_by_hand(
    grades: dict[str, int], scores: dict[str, float], k: int
) -> None:
    found = score({"q": grades}, {"q": scores}, k=k).per_query()["q"]
    order = sorted(scores, key=lambda doc: (np.float32(scores[doc]), doc), reverse=True)
    assert ranked(scores) == order
    relevant = {doc for doc, grade in grades.items() if grade >= 1}
    hits = [doc in relevant for doc in order[:k]]
    first = hits.index(True) + 1 if any(hits) else None
    assert found[f"mrr_at_{k}"] == pytest.approx(1 / first if first else 0.0)
    assert found[f"precision_at_{k}"] == pytest.approx(sum(hits) / k)
    assert found[f"recall_at_{k}"] == pytest.approx(sum(hits) / len(relevant) if relevant else 0)
    assert found[f"ndcg_at_{k}"] == pytest.approx(ndcg_at_k(order, grades, k) or 0.0)
    if order:
        judged = sum(doc in grades for doc in order[:k])
        assert found[f"judged_at_{k}"] == pytest.approx(judged / min(k, len(order)))


@settings(deadline=None)
@given(grades=GRADES, scores=SCORES)
def test_mrr_at_k_is_that_of_the_run_cut_to_k(
    grades: dict[str, int], scores: dict[str, float]
) -> None:
    found = score({"q": grades}, {"q": scores}).per_query()["q"]
    for k in (1, 3, 5):
        first = {doc: scores[doc] for doc in ranked(scores)[:k]}
        assert found[f"mrr_at_{k}"] == score({"q": grades}, {"q": first}).means["mrr"].value


def test_deep_reciprocal_ranks_are_cut_right() -> None:
    depth = 2000
    run = {"q": {f"d{rank:04}": float(-rank) for rank in range(1, depth + 1)}}
    for rank in (1, 3, 7, 100, 101, 999, 1000, 1001, depth):
        found = score({"q": {f"d{rank:04}": 1}}, run).per_query()["q"]
        for k in CUTOFFS:
            assert found[f"mrr_at_{k}"] == pytest.approx(1 / rank if rank <= k else 0.0)


def test_the_order_of_the_run_changes_nothing() -> None:
    shuffle = random.Random(7)
    docs = [f"d{number}" for number in range(50)]
    scores = {doc: round(shuffle.random(), 1) for doc in docs}
    grades = {doc: shuffle.randrange(4) for doc in docs[::3]}
    before = score({"q": grades}, {"q": scores}).per_query()
    shuffle.shuffle(docs)
    assert score({"q": grades}, {"q": {doc: scores[doc] for doc in docs}}).per_query() == before


def test_ndcg_at_k_by_hand() -> None:
    grades = {"d1": 3, "d2": 2, "d3": 1, "d4": 0}
    assert ndcg_at_k(["d2", "d4", "d1"], grades) == pytest.approx(0.7350, abs=5e-5)
    assert ndcg_at_k(["d1", "d2", "d3"], grades) == 1.0
    assert ndcg_at_k([], grades) == 0.0
    assert ndcg_at_k(["d1"], {}) is None
    assert ndcg_at_k(["d4"], {"d4": -1}) is None


def test_ndcg_at_k_refuses_nonsense() -> None:
    with pytest.raises(ValueError, match="k == 0"):
        ndcg_at_k(["d1"], {"d1": 1}, k=0)
    with pytest.raises(ValueError, match="twice"):
        ndcg_at_k(["d1", "d1"], {"d1": 1})


@pytest.mark.parametrize(
    ("qrels", "metrics", "word"),
    [
        ({"a": {"x": 1, "n": 0}, "b": {"y": 1}}, ("mrr_at_10", "recall_at_10"), "one relevant"),
        ({"a": {"x": 1, "z": 1}, "b": {"y": 1}}, ("ndcg_at_10", "map"), "up to 2"),
        ({"a": {"x": 1, "z": 3}}, ("ndcg_at_10",), "different grades"),
        ({"a": {"x": 0}}, ("ndcg_at_10", "map"), "no query has a relevant"),
        ({}, ("ndcg_at_10", "map"), "no query has a relevant"),
    ],
)
def test_recommended_metric(
    qrels: dict[str, dict[str, int]], metrics: tuple[str, ...], word: str
) -> None:
    recommended = recommended_metric(qrels)
    assert (recommended.metrics, recommended.metric) == (metrics, metrics[0])
    assert word in recommended.reason
