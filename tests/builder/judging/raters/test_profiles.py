"""What a profile says of a rater."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from builder.judging.agreement import agreement_of
from builder.judging.raters import rater_profiles
from builder.store.ratings import Ratings
from builder.store.repeats import Repeats
from tests.builder.judging.raters.by_hand import ratings
from tests.builder.judging.raters.simulated import HONEST, Team, graded_by


def profiles_of(graded: Ratings, repeats: Repeats | None = None) -> dict[str, dict[str, Any]]:
    found = rater_profiles(graded, repeats)
    json.dumps(found, allow_nan=False)
    return {profile["rater"]: profile for profile in found}


BY_HAND = ratings(
    {"a": [0, 1, 2, 3, 3], "b": [0, 2, 2, None, 1], "c": [None, 2, 3, None, 0]},
    pairs_per_query=2,
    milliseconds={"a": 4000.0},
)


def test_by_hand() -> None:
    a = profiles_of(BY_HAND)["a"]
    assert (a["n"], a["excluded"], a["distribution"]) == (5, None, [1, 1, 1, 2])
    assert a["pace"] == {"median_s": 4.0, "n": 5}
    # Own less the mean of the others: 0 - 0, 1 - 2, 2 - 2.5, 3 - 0.5.
    assert a["bias"]["value"] == pytest.approx(1.0 / 4)
    assert a["bias"]["n"] == 4
    assert a["confusion"] == [[1, 0, 0, 0], [0, 0, 2, 0], [0, 0, 1, 1], [1, 1, 0, 0]]
    # Majorities: 0 (equal), 2 (not); 2 against 3 and 1 against 0 are ties.
    assert (a["with_majority"]["value"], a["with_majority"]["n"]) == (0.5, 2)
    assert [(row["rater"], row["n"]) for row in a["pairwise"]] == [("b", 4), ("c", 3)]


def test_kappas_are_those_of_the_library() -> None:
    from sklearn.metrics import cohen_kappa_score

    graded = graded_by(Team(n_pairs=300), 9)
    dan = profiles_of(graded)["dan"]
    grade: dict[tuple[int, int], int] = {
        (int(pair), int(rater)): int(given)
        for pair, rater, given in zip(graded.pair, graded.rater, graded.grade, strict=True)
    }
    every: list[tuple[int, int]] = []
    for at, name in enumerate(HONEST):
        both = [
            (grade[pair, 3], given)
            for (pair, rater), given in grade.items()
            if rater == at and at != 3 and (pair, 3) in grade
        ]
        every += both
        rows = [row for row in dan["pairwise"] if row["rater"] == name]
        if not both:
            assert not rows
            continue
        own, other = zip(*both, strict=True)
        expected = cohen_kappa_score(own, other, labels=[0, 1, 2, 3], weights="quadratic")
        assert rows[0]["n"] == len(both)
        assert rows[0]["kappa_quadratic"]["value"] == pytest.approx(expected)
    own, other = zip(*every, strict=True)
    expected = cohen_kappa_score(own, other, labels=[0, 1, 2, 3], weights="quadratic")
    assert dan["with_others"]["value"] == pytest.approx(expected)
    assert dan["with_others"]["n"] == len(every)
    assert dan["with_others"]["low"] < expected < dan["with_others"]["high"]


def test_excluded_raters_sway_nobody_and_have_a_profile() -> None:
    graded = graded_by(Team(spammers=["bea"], lenient={"cy": 0.7}), 2)
    rows = ~np.isin(graded.rater, [1, 2])
    fewer = replace(
        graded,
        query=graded.query[rows],
        pair=graded.pair[rows],
        rater=graded.rater[rows],
        grade=graded.grade[rows],
        seconds=graded.seconds[rows],
        milliseconds=graded.milliseconds[rows],
    )
    out = {"bea": "guessed", "cy": "too kind"}
    found = rater_profiles(replace(graded, excluded=out))
    assert [profile["excluded"] for profile in found[-2:]] == ["guessed", "too kind"]
    for swayed, alone in zip(found[:-2], rater_profiles(fewer), strict=True):
        # Sums in another order differ in the last bit.
        assert swayed.pop("level") == pytest.approx(alone.pop("level"))
        assert swayed == alone
    bea, cy = found[-2:]
    assert bea["with_others"]["value"] < 0.3 < cy["with_others"]["value"]
    assert {row["rater"] for row in cy["pairwise"]} == set(HONEST) - set(out)
    assert "lenient" in {flag["code"] for flag in cy["flags"]}


def test_pairs_of_raters_are_those_of_the_agreement() -> None:
    graded = graded_by(Team(n_pairs=300), 9)
    found = profiles_of(graded)
    for couple in agreement_of(graded, resamples=10)["pairwise"]:
        one, other = couple["raters"]
        for rater, its in ((one, other), (other, one)):
            (row,) = (row for row in found[rater]["pairwise"] if row["rater"] == its)
            assert row["n"] == couple["n"]
            assert row["kappa_quadratic"] == pytest.approx(couple["kappa_quadratic"])


def test_weeks() -> None:
    graded = graded_by(Team(lenient={"cy": 0.7}), 3)
    cy = profiles_of(graded)["cy"]
    assert [row["week"] for row in cy["by_week"]] == [f"2026-W{at}" for at in (39, 40, 41, 42)]
    assert sum(row["n"] for row in cy["by_week"]) == cy["n"]
    weighed = sum(row["bias"]["value"] * row["bias"]["n"] for row in cy["by_week"])
    assert weighed / cy["bias"]["n"] == pytest.approx(cy["bias"]["value"])
    assert all(4 < row["median_s"] < 20 for row in cy["by_week"])


def test_without_times_there_are_no_weeks_and_no_pace() -> None:
    graded = graded_by(Team(with_times=False), 3)
    found = profiles_of(replace(graded, milliseconds=np.full(len(graded), np.nan)))
    assert all(profile["by_week"] == [] for profile in found.values())
    assert all(profile["pace"] == {"median_s": None, "n": 0} for profile in found.values())


def test_copies_are_no_others() -> None:
    graded = graded_by(Team(copiers={"fay": "ann"}, n_pairs=1000), 4)
    found = profiles_of(graded)
    (with_ann,) = (row for row in found["fay"]["pairwise"] if row["rater"] == "ann")
    assert with_ann["kappa_quadratic"]["value"] == 1.0
    others = sum(row["n"] for row in found["fay"]["pairwise"]) - with_ann["n"]
    assert found["fay"]["with_others"]["n"] == others
    assert found["fay"]["with_others"]["value"] < 0.9


def test_who_has_only_copies() -> None:
    grades = np.random.default_rng(0).integers(0, 4, 200).tolist()
    found = profiles_of(ratings({"a": grades, "b": grades}, pairs_per_query=10))
    for statistic in ("with_others", "with_majority", "bias"):
        assert found["a"][statistic]["reason"] == "only_copies"
        assert found["a"][statistic]["value"] is None


def test_alone() -> None:
    a = profiles_of(ratings({"a": [0, 1]}))["a"]
    assert (a["n"], a["pairwise"], a["flags"], a["level"]) == (2, [], [], None)
    assert a["with_others"]["reason"] == "no_pair_graded_by_two"
    assert a["self_agreement"]["reason"] == "no_repeats"


def test_nobody() -> None:
    assert rater_profiles(ratings({"a": []})) == []


def test_repeats() -> None:
    twice = Repeats(np.array([0, 0, 1]), np.array([1, 2, 3]), np.array([1, 0, 3]), ["a", "z"])
    found = profiles_of(BY_HAND, twice)
    assert (found["a"]["self_agreement"]["value"], found["a"]["self_agreement"]["n"]) == (0.5, 2)
    assert found["b"]["self_agreement"]["value"] is None
