"""What a judgment moves, against pytrec_eval on every grade it could get."""

from collections.abc import Iterator, Mapping
from itertools import product
from math import log2

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.evaluation.hole_gains import QueryTops, furthest_ahead, highest, lowest, movements

K = 3
MODELS = ("one", "two")


def by_trec_eval(query: QueryTops, more: Mapping[str, int]) -> dict[str, float]:
    """Model -> nDCG@k with further judgments, by trec_eval's own code."""
    evaluator = pytrec_eval.RelevanceEvaluator(
        {"q": {**query.grades, **more}}, {f"ndcg_cut.{query.k}"}
    )
    return {
        model: evaluator.evaluate({"q": {doc_id: -float(rank) for rank, doc_id in enumerate(top)}})[
            "q"
        ][f"ndcg_cut_{query.k}"]
        for model, top in query.tops.items()
    }


@st.composite
def queries(draw: st.DrawFn) -> QueryTops:
    """A judged query of two models; the grade 5 is a foreign one, -1 a negative one."""
    pool = [f"d{n}" for n in range(8)]
    judged = draw(st.lists(st.sampled_from(pool), unique=True, min_size=1, max_size=5))
    grades = {doc_id: draw(st.sampled_from([0, 0, 1, 2, 3, 5, -1])) for doc_id in judged}
    tops = {
        model: draw(st.lists(st.sampled_from(pool), unique=True, min_size=1, max_size=K))
        for model in MODELS
    }
    return QueryTops(grades, tops, K)


def every_grading(query: QueryTops) -> Iterator[dict[str, float]]:
    """The nDCG@k of the models, for each way in which the unjudged documents could be graded."""
    holes = list(query.ranks())
    for grades in product(range(4), repeat=len(holes)):
        yield by_trec_eval(query, dict(zip(holes, grades, strict=True)))


@settings(max_examples=60, deadline=None)
@given(queries())
def test_movement_is_what_trec_eval_says_before_and_after(query: QueryTops) -> None:
    before = by_trec_eval(query, {})
    assert query.ndcg() == pytest.approx(before, abs=1e-12)
    for doc_id, movement in movements(query, query.ranks()).items():
        after = by_trec_eval(query, {doc_id: 3})
        changes = [after[model] - before[model] for model in MODELS]
        assert movement == pytest.approx(max(changes) - min(changes), abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(queries())
def test_bounds_are_the_extremes_over_all_grades(query: QueryTops) -> None:
    holes = list(query.ranks())[:5]
    query = QueryTops(
        {**query.grades, **dict.fromkeys(list(query.ranks())[5:], 0)}, query.tops, query.k
    )
    every = list(every_grading(query))
    for model in MODELS:
        of_model = [values[model] for values in every]
        assert lowest(query, model, holes) == pytest.approx(min(of_model), abs=1e-12)
        assert highest(query, model, holes) == pytest.approx(max(of_model), abs=1e-12)
    ahead = max(values["two"] - values["one"] for values in every)
    assert furthest_ahead(query, "two", "one", holes) == pytest.approx(ahead, abs=1e-12)


def test_a_hole_that_one_model_shows_first_moves_most() -> None:
    """One judged document of grade 3; a shows it and then x, b shows x first.

    Now: nDCG@3 of a is 1, of b 3/log2(3) / 3 = .63093. With x at 3 the ideal is 3 + 3/log2(3), and
    both show it in full: a 1, b 1. So x moves them by 0 and .36907. The document y stands at rank 3
    of both: both get 3/2 more, the ideal 3 + 3/log2(3) = 4.89279, and a becomes 4.5/4.89279 =
    .91972, b (1.89279 + 1.5)/4.89279 = .69343: -.08028 and .06250.
    """
    query = QueryTops({"r": 3}, {"a": ("r", "x", "y"), "b": ("x", "r", "y")}, 3)
    ideal = 3 + 3 / log2(3)
    moved = movements(query, query.ranks())
    assert moved["x"] == pytest.approx(1 - 1 / log2(3), abs=1e-12)
    assert moved["y"] == pytest.approx((3 / log2(3) + 1.5) / ideal - 1 / log2(3) - 4.5 / ideal + 1)
    assert list(moved) == ["x", "y"]


def test_of_a_single_model_its_own_change_counts() -> None:
    """Nothing relevant yet: with d at 3 the ideal is 3, and d at rank 2 gains 3/log2(3) of it."""
    query = QueryTops({"z": 0}, {"a": ("z", "d")}, 10)
    assert movements(query, query.ranks()) == {"d": pytest.approx(1 / log2(3))}


def test_a_perfect_order_stays_perfect_and_another_gains() -> None:
    """[3, 3, hole]: the hole at 3 leaves it perfect, so its value cannot change: 1 to 1.

    [0, hole] of another, that shows nothing relevant, goes from 0 to (3/log2(3)) / ideal, where the
    ideal has three threes: 3 + 3/log2(3) + 3/2.
    """
    query = QueryTops({"r": 3, "s": 3}, {"a": ("r", "s", "h"), "b": ("n", "h")}, 3)
    extremes = (lowest(query, "a", ["h"]), highest(query, "a", ["h"]))
    assert extremes == pytest.approx((1.0, 1.0), abs=1e-12)
    assert lowest(query, "b", ["h"]) == 0.0
    most = (3 / log2(3)) / (3 + 3 / log2(3) + 1.5)
    assert highest(query, "b", ["h"]) == pytest.approx(most)
    assert furthest_ahead(query, "b", "a", ["h"]) == pytest.approx(most - 1)
