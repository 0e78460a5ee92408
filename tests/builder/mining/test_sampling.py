"""Samples: known answers, what always holds, and that weights tell the truth on average."""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.mining.sampling import (
    allocate_equally,
    allocate_proportionally,
    draw_by_traffic,
    draw_from_strata,
    traffic_strata,
    uniform,
)

SIZES = st.lists(st.integers(0, 12), min_size=1, max_size=6)
few = settings(max_examples=30, deadline=None)


def draws_of(n: int, seed: int = 0) -> npt.NDArray[np.uint64]:
    return np.random.default_rng(seed).integers(0, 2**64, n, dtype=np.uint64)


def strata_by_hand(searches: list[int], head: int, torso: int) -> list[int]:
    """In whole percents, query by query, where no two are searched for equally often."""
    found, before, total = {}, 0, sum(searches)
    for place in sorted(range(len(searches)), key=lambda place: -searches[place]):
        share = 100 * before
        found[place] = 0 if share < head * total else 1 if share < (head + torso) * total else 2
        before += searches[place]
    return [found[place] for place in range(len(searches))]


def test_head_torso_and_tail_of_a_hundred_searches() -> None:
    """40 + 20 reach half, of which the second is the one that reaches it: both are the head.

    Behind them lie 60 of 100; 18 and 12 begin before 80, the rest behind it.
    """
    searches = np.array([5, 40, 12, 20, 18, 5])
    assert traffic_strata(searches, draws_of(6), 0.5, 0.3).tolist() == [2, 0, 1, 0, 1, 2]


def test_a_border_that_falls_between_two_queries() -> None:
    searches = np.array([50, 30, 20])
    assert traffic_strata(searches, draws_of(3), 0.5, 0.3).tolist() == [0, 1, 2]


@few
@given(
    st.lists(st.integers(1, 10_000), min_size=1, max_size=40, unique=True),
    st.integers(1, 99),
    st.integers(0, 99),
)
def test_strata_as_by_hand(searches: list[int], head: int, torso: int) -> None:
    torso = min(torso, 100 - head)
    found = traffic_strata(np.array(searches), draws_of(len(searches)), head / 100, torso / 100)
    assert found.tolist() == strata_by_hand(searches, head, torso)


def test_of_equally_frequent_queries_chance_decides() -> None:
    """Not their place: of 1,000 singles half are the head, of the first 500 about half of it."""
    strata = traffic_strata(np.ones(1000, dtype=np.int64), draws_of(1000), 0.5, 0.3)
    assert np.bincount(strata).tolist() == [500, 300, 200]
    assert 200 < (strata[:500] == 0).sum() < 300


@pytest.mark.parametrize(
    ("sizes", "n", "counts"),
    [
        ([100, 100, 100], 9, [3, 3, 3]),
        ([100, 100, 100], 10, [4, 3, 3]),
        ([2, 100, 100], 20, [2, 9, 9]),  # what the first cannot give falls to the others
        ([2, 3, 100], 50, [2, 3, 45]),
        ([0, 5, 5], 4, [0, 2, 2]),
        ([2, 3], 9, [2, 3]),
        ([5, 5], 0, [0, 0]),
    ],
)
def test_equal_allocation(sizes: list[int], n: int, counts: list[int]) -> None:
    assert allocate_equally(sizes, n) == counts


@pytest.mark.parametrize(
    ("sizes", "n", "counts"),
    [
        # Quotas 6, 3, 1: no rounding.
        ([60, 30, 10], 10, [6, 3, 1]),
        # One seat each; then 90/3 = 30, 90/5 = 18, 90/7 = 12.9 against 9/3 = 3 and 1/3.
        ([90, 9, 1], 6, [4, 1, 1]),
        # Fewer than strata: the largest.
        ([1, 5, 3], 2, [0, 1, 1]),
        ([2, 3], 9, [2, 3]),
        ([0, 4], 2, [0, 2]),
    ],
)
def test_proportional_allocation(sizes: list[int], n: int, counts: list[int]) -> None:
    assert allocate_proportionally(sizes, n) == counts


@few
@given(SIZES, st.integers(0, 60), st.sampled_from([allocate_equally, allocate_proportionally]))
def test_an_allocation_gives_what_there_is_and_more_for_more(
    sizes: list[int],
    n: int,
    allocate: Callable[[Sequence[int], int], list[int]],
) -> None:
    counts, more = allocate(sizes, n), allocate(sizes, n + 1)
    assert sum(counts) == min(n, sum(sizes))
    assert all(0 <= count <= size for count, size in zip(counts, sizes, strict=True))
    assert all(count <= later for count, later in zip(counts, more, strict=True))


@few
@given(SIZES.filter(any), st.integers(1, 40), st.integers(0, 99))
def test_a_sample_of_strata(sizes: list[int], n: int, seed: int) -> None:
    strata = np.repeat(np.arange(len(sizes)), sizes)
    draws = draws_of(len(strata), seed)
    counts = allocate_equally(sizes, n)
    drawn = draw_from_strata(draws, strata, counts)
    assert len(set(drawn.places.tolist())) == len(drawn.places) == min(n, sum(sizes))
    assert np.bincount(strata[drawn.places], minlength=len(sizes)).tolist() == counts
    by_hand = {
        h: n_h / size for h, (n_h, size) in enumerate(zip(counts, sizes, strict=True)) if n_h
    }
    for place, chance in zip(drawn.places.tolist(), drawn.probabilities.tolist(), strict=True):
        assert chance == by_hand[strata[place]]
    # Over all queries the chances come to the size of the sample.
    assert sum(by_hand.get(h, 0) * size for h, size in enumerate(sizes)) == pytest.approx(
        len(drawn.places)
    )
    larger = draw_from_strata(draws, strata, allocate_equally(sizes, n + 3))
    assert set(drawn.places.tolist()) <= set(larger.places.tolist())


@few
@given(
    st.lists(st.integers(1, 1000), min_size=1, max_size=30), st.integers(1, 35), st.integers(0, 9)
)
def test_a_sample_by_traffic(searches: list[int], n: int, seed: int) -> None:
    draws, sizes = draws_of(len(searches), seed), np.array(searches)
    drawn, larger = draw_by_traffic(draws, sizes, n), draw_by_traffic(draws, sizes, n + 3)
    assert len(set(drawn.places.tolist())) == len(drawn.places) == min(n, len(searches))
    assert set(drawn.places.tolist()) <= set(larger.places.tolist())
    assert ((drawn.probabilities > 0) & (drawn.probabilities <= 1)).all()
    if n >= len(searches):
        assert (drawn.probabilities == 1).all()


def test_the_chance_by_traffic_is_that_of_its_source() -> None:
    """Duffield, Lund and Thorup 2007, section 2: by hand, with u = 1/2, 1/4, 1/2 and 1/8.

    Priorities are 10/.5 = 20, 1/.25 = 4, 3/.5 = 6 and 1/.125 = 8. The two greatest are 20 and 8,
    the threshold is 6: chances 1 (10 > 6) and 1/6.
    """
    draws = np.array([2**63, 2**62, 2**63, 2**61], dtype=np.uint64)
    drawn = draw_by_traffic(draws, np.array([10, 1, 3, 1]), 2)
    assert drawn.places.tolist() == [0, 3]
    assert drawn.probabilities.tolist() == pytest.approx([1, 1 / 6])


def test_weighted_totals_are_unbiased() -> None:
    """Horvitz-Thompson over 2,000 seeds: the mean is within 4 standard errors of the truth.

    The log is as skewed as logs are, 1/rank; what is added up is 1 for each query (how many there
    are), and a figure that has nothing to do with its traffic.
    """
    searches = (1000 / np.arange(1, 101)).astype(np.int64)
    figure = np.random.default_rng(5).random(100)
    totals = []
    for seed in range(2000):
        drawn = draw_by_traffic(draws_of(100, seed), searches, 12)
        weights = 1 / drawn.probabilities
        totals.append((weights.sum(), (weights * figure[drawn.places]).sum()))
    means, spread = np.mean(totals, axis=0), np.std(totals, axis=0) / 2000**0.5
    assert (np.abs(means - [100, figure.sum()]) < 4 * spread).all()


def test_draws_are_uniform() -> None:
    digests = [hashlib.md5(f"0 query {n}".encode()).digest() for n in range(4000)]  # noqa: S324
    draws = np.array([int.from_bytes(one[:8], "little") for one in digests], dtype=np.uint64)
    counts, _ = np.histogram(uniform(draws), bins=10, range=(0, 1))
    # Chi-square with 9 degrees of freedom: 27.9 is passed once in a thousand times.
    assert ((counts - 400) ** 2 / 400).sum() < 27.9
    assert uniform(np.array([0, 2**64 - 1], dtype=np.uint64)).tolist() == [2.0**-65, 1.0]
