"""Whatever was graded: profiles are strict JSON, add up, and values lie in their intervals."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.judging.raters import flags_of, rater_profiles
from builder.store.ratings import Ratings
from tests.builder.judging.raters.by_hand import ratings
from tests.thorough import examples

NAMES = ("a", "b", "c", "d")


@st.composite
def any_ratings(draw: st.DrawFn) -> Ratings:
    """One to four raters, up to 40 pairs, of few grades or all, some times, some excluded."""
    names = NAMES[: draw(st.integers(1, 4))]
    n_pairs, highest = draw(st.integers(1, 40)), draw(st.integers(0, 3))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    asked = random.random((len(names), n_pairs)) < draw(st.sampled_from([0.2, 0.6, 1.0]))
    same = draw(st.booleans())
    grades = random.integers(0, highest + 1, (1 if same else len(names), n_pairs))
    known = draw(st.sets(st.sampled_from(names)))
    return ratings(
        {
            name: [
                int(grades[0 if same else at, pair]) if asked[at, pair] else None
                for pair in range(n_pairs)
            ]
            for at, name in enumerate(names)
        },
        pairs_per_query=draw(st.integers(1, 20)),
        excluded=dict.fromkeys(draw(st.sets(st.sampled_from(names))), "why"),
        seconds={name: 1.8e9 + 3600.0 * at for at, name in enumerate(sorted(known))},
        milliseconds=dict.fromkeys(known, 4000.0),
    )


def estimates(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if {"value", "low", "high"} <= value.keys():
            yield value
        for each in value.values():
            yield from estimates(each)
    elif isinstance(value, list):
        for each in value:
            yield from estimates(each)


@settings(max_examples=examples(50, 150), deadline=None)
@given(any_ratings())
def test_profiles_are_sound(graded: Ratings) -> None:
    profiles = rater_profiles(graded)
    json.dumps(profiles, allow_nan=False)
    assert sum(profile["n"] for profile in profiles) == len(graded)
    assert [p["excluded"] is not None for p in profiles] == sorted(
        p["rater"] in graded.excluded for p in profiles
    )
    for profile in profiles:
        assert sum(profile["distribution"]) == profile["n"]
        assert np.sum(profile["confusion"]) == profile["with_others"]["n"]
    for estimate in estimates(profiles):
        if estimate["low"] is None:
            assert estimate["reason"]
        else:
            assert estimate["low"] <= estimate["value"] <= estimate["high"]


@settings(max_examples=50, deadline=None)
@given(any_ratings())
def test_flags_are_those_of_the_profiles(graded: Ratings) -> None:
    flags = flags_of(graded)
    for profile in rater_profiles(graded):
        assert profile["flags"] == [flag.as_json() for flag in flags[profile["rater"]]]
