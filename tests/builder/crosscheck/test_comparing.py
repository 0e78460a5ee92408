"""By hand. log2(3) = 1.584963, so rank 2 weighs .630930."""

import random

import pytest

from builder.crosscheck.comparing import MIN_QUERIES, Comparison, kendall_tau, ranking
from builder.crosscheck.wording import why_not
from estimates import Estimate
from evals.measures import score

A, B = {"d1": 3, "d2": 1}, {"d1": 1, "d2": 3}

# The better document at rank 2: (1 + 3 * .630930) / (3 + 1 * .630930) = 2.892789 / 3.630930.
SWAPPED = 0.796707


def compared(n: int = MIN_QUERIES) -> Comparison:
    """By the rater d1 is best, by all d2; model one ranks d1 first, two d2, none neither."""
    comparison = Comparison("cy")
    for _ in range(n):
        tops = {"one": ["d1", "d2", "x"], "two": ["d2", "d1"], "none": []}
        comparison.add_query(A, B, 2, tops)
    return comparison


def test_scores_by_hand() -> None:
    told = compared().as_json()
    assert (told["reason"], told["n_queries"], told["n_pairs"]) == (None, 20, 40)
    assert (told["n_shared"], told["n_different"]) == (40, 40)
    models = {model["model"]: model for model in told["models"]}
    assert models["one"]["by_rater"]["value"] == pytest.approx(1.0)
    assert models["one"]["by_aggregated"]["value"] == pytest.approx(SWAPPED, abs=1e-6)
    assert models["one"]["difference"]["value"] == pytest.approx(1 - SWAPPED, abs=1e-6)
    assert models["two"]["difference"]["value"] == pytest.approx(SWAPPED - 1, abs=1e-6)
    assert models["none"]["by_rater"]["value"] == 0.0
    # d1 and d2 of three; nothing was found, so there is nothing to be judged.
    assert models["one"]["judged_at_10"]["value"] == pytest.approx(2 / 3)
    assert models["none"]["judged_at_10"]["reason"] == "no_values"


def test_ranking_by_hand() -> None:
    told = compared().as_json()
    assert told["ranking_by_rater"] == ["one", "two", "none"]
    assert told["ranking_by_aggregated"] == ["two", "one", "none"]
    assert told["first_stays"] is False
    # Three pairs of models: one and two change places, two pairs keep them: (2 - 1) / 3.
    assert told["kendall_tau"]["value"] == pytest.approx(1 / 3)
    assert told["kendall_tau"]["n"] == 3


def test_queries_on_which_nobody_else_graded_are_left_out() -> None:
    comparison = compared()
    comparison.add_query({"d1": 3}, {"d1": 3}, 0, {"one": ["d1"]})
    assert comparison.left_out == {"not_shared": 1}
    assert (comparison.n_queries, comparison.n_graded, comparison.n_pairs) == (20, 41, 40)


@pytest.mark.parametrize(("own", "aggregated"), [(0, 2), (2, 0), (0, 0)])
def test_queries_without_an_ideal_by_one_of_the_sides_are_left_out(
    own: int, aggregated: int
) -> None:
    comparison = compared()
    comparison.add_query({"d1": own}, {"d1": aggregated}, 1, {"one": ["d1"]})
    assert comparison.left_out == {"without_relevant": 1}
    assert comparison.n_queries == 20


def test_too_few_queries() -> None:
    told = compared(MIN_QUERIES - 1).as_json()
    assert told["reason"] == "too_few_queries"
    assert (told["models"], told["first_stays"]) == ([], None)
    assert told["kendall_tau"]["reason"] == "too_few_queries"
    assert why_not(told) == "19 queries can be compared, 20 are needed"
    assert why_not(compared().as_json()) is None


def test_reasons() -> None:
    comparison = Comparison("eve")
    assert comparison.reason == "no_pair_in_task"
    comparison.add_query(A, A, 0, {})
    assert comparison.reason == "no_shared_pair"
    comparison.add_query({"d1": 0}, {"d1": 3}, 1, {})
    assert comparison.reason == "no_relevant_document"
    assert why_not(comparison.as_json()) is not None


def means(**values: float) -> dict[str, Estimate]:
    return {model: Estimate(value, n=20) for model, value in values.items()}


def test_kendall_with_ties_by_hand() -> None:
    # a = b by one side: of 3 pairs 2 concordant, none discordant, one tied on one side:
    # 2 / sqrt((3 - 1) * 3) = .816497
    tied = kendall_tau(means(a=0.5, b=0.5, c=0.1), means(a=0.6, b=0.5, c=0.1))
    assert tied.value == pytest.approx(0.816497, abs=1e-6)


def test_rounding_is_no_difference() -> None:
    # .1 + .2 is not .3 in binary; as means of models they are equal.
    assert ranking(means(b=0.1 + 0.2, a=0.3)) == ["a", "b"]
    equal = kendall_tau(means(a=0.3, b=0.1 + 0.2, c=0.3), means(a=0.1, b=0.2, c=0.3))
    assert (equal.value, equal.reason) == (None, "all_models_equal")


@pytest.mark.parametrize("models", [{"a": 0.5}, {"a": 0.5, "b": 0.1}])
def test_no_tau_of_fewer_than_three_models(models: dict[str, float]) -> None:
    tau = kendall_tau(means(**models), means(**models))
    assert (tau.value, tau.n, tau.reason) == (None, len(models), "fewer_than_three_models")


def test_the_scores_are_those_of_eval() -> None:
    chance = random.Random(3)
    documents = [f"d{n}" for n in range(30)]
    comparison = Comparison("ann")
    sides: list[dict[str, dict[str, int]]] = [{}, {}]
    run: dict[str, dict[str, float]] = {}
    for query in (f"q{n}" for n in range(40)):
        judged = chance.sample(documents, 12)
        for side in sides:
            side[query] = {doc_id: chance.randrange(4) for doc_id in judged}
        found = chance.sample(documents, chance.randrange(25))
        run[query] = {doc_id: float(-rank) for rank, doc_id in enumerate(found)}
        comparison.add_query(sides[0][query], sides[1][query], 12, {"m": found[:10]})
    (model,) = comparison.as_json()["models"]
    for name, side in zip(("by_rater", "by_aggregated"), sides, strict=True):
        of_eval = score(side, run).means["ndcg_at_10"]
        assert model[name]["value"] == pytest.approx(of_eval.value, abs=1e-9)
        assert model[name]["low"] == pytest.approx(of_eval.low, abs=1e-9)
    of_eval = score(sides[0], run).means["judged_at_10"]
    assert model["judged_at_10"]["value"] == pytest.approx(of_eval.value)
