"""How much of a pooling may be expected to be relevant."""

import pytest

from builder.pooling.balance import Naming
from builder.pooling.expectation import expected, ranks_of
from builder.store.pool_yield import Yield


def test_bands_of_ranks() -> None:
    named = {rank: ranks_of(rank) for rank in (None, 1, 2, 3, 5, 6, 10, 11, 50, 51, 1000)}
    assert named == {
        None: "",
        1: "1",
        2: "2-3",
        3: "2-3",
        5: "4-5",
        6: "6-10",
        10: "6-10",
        11: "11-20",
        50: "21-50",
        51: "51+",
        1000: "51+",
    }


def test_the_mean_over_the_new_pairs_of_what_grades_say_of_their_source_and_ranks() -> None:
    grades = [Yield("bm25", 1, 10, 8), Yield("bm25", 2, 6, 3), Yield("bm25", 3, 4, 2)]
    new = [Naming("bm25", 1), Naming("bm25", 2), Naming("bm25", 3), Naming("bm25", 3)]
    told = expected(new, grades)
    # One pair at .8 and three at 5/10: (.8 + 3 x .5) / 4 = .575.
    share = told["share_relevant"]
    assert share["value"] == pytest.approx(0.575)
    # Variances: p = 10/14 and 7/14, each / 10, weights 1/4 and 3/4.
    variance = (10 / 14) * (4 / 14) / 10 / 16 + 0.25 / 10 * 9 / 16
    assert share["high"] - share["value"] == pytest.approx(1.959964 * variance**0.5, rel=1e-5)
    assert (share["n"], told["pairs"], told["of_pairs"]) == (20, 4, 4)
    assert [(row["ranks"], row["pairs"], row["graded"]) for row in told["by"]] == [
        ("1", 1, 10),
        ("2-3", 3, 10),
    ]


def test_thin_bands_are_judged_by_their_whole_source_and_none_by_others() -> None:
    grades = [Yield("bm25", 1, 9, 9), Yield("bm25", 60, 1, 0), Yield("random", None, 4, 0)]
    told = expected([Naming("bm25", 60), Naming("random", None), Naming("new", 1)], grades)
    assert told["share_relevant"]["value"] == pytest.approx(0.9)
    assert told["share_relevant"]["n"] == 10
    assert (told["pairs"], told["of_pairs"]) == (1, 3)
    assert told["why"] == (
        "from the grades so far of what bm25 named at such ranks; not of 2 new pairs of new, "
        "random: too few are graded; chance and skipped results are judged by what no other source "
        "named"
    )
    none = expected([Naming("new", 1)], grades)["share_relevant"]
    assert (none["value"], none["reason"]) == (None, "no_grades_of_these_sources")
    assert expected([], grades)["share_relevant"]["reason"] == "no_new_pairs"
