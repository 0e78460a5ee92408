from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.errors import BuilderError
from builder.synthesis.plan import SynthPlan

PLANS = st.builds(
    SynthPlan,
    documents=st.integers(1, 1000),
    per_document=st.integers(1, 5),
    types=st.lists(st.sampled_from(["keyword", "question"]), min_size=1, unique=True).map(tuple),
    by=st.sampled_from(["random", "cluster", "length", "field:brand"]),
    max_cost=st.none() | st.floats(0.01, 100),
    retrievers=st.sampled_from([(), ("bm25",), ("bm25", "minilm")]),
)


@given(PLANS)
def test_a_plan_comes_back_from_json_and_makes_sense(plan: SynthPlan) -> None:
    plan.check()
    assert SynthPlan.from_json(plan.as_json()) == plan


def test_fields_that_are_not_told_are_as_if_nobody_had_asked() -> None:
    assert SynthPlan.from_json({}) == SynthPlan()
    assert SynthPlan.from_json({"types": "keyword"}).types == ("keyword",)
    with pytest.raises(BuilderError, match="nothing of temprature"):
        SynthPlan.from_json({"temprature": 1})


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"documents": 0}, "documents is 0"),
        ({"per_call": 21}, "per_call is 21"),
        ({"documents": 100_000, "per_document": 3}, "are too many"),
        ({"max_tokens": 31}, "max_tokens is 31"),
        ({"temperature": float("nan")}, "temperature is nan"),
        ({"max_calls": 0}, "max_calls is 0"),
        ({"max_total_tokens": 0}, "max_total_tokens is 0"),
        ({"max_cost": float("inf")}, "max_cost is inf"),
        ({"max_cost": float("nan")}, "max_cost is nan"),
        ({"types": ()}, "no type"),
        ({"types": ("keyword", "keyword")}, "keyword twice"),
        ({"by": "colour"}, "cannot be chosen by 'colour'"),
        ({"by": "field:"}, "names no field"),
        ({"concurrency": 0}, "concurrency is 0"),
    ],
)
def test_what_makes_no_sense_is_said(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(BuilderError, match=told):
        SynthPlan(**wrong).check()
