"""Click models: formulas against known answers, other ways to compute them, and simulations."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from online.click_models import (
    CAREFUL_STRENGTH,
    PARTS,
    Prior,
    Spread,
    beta_prior,
    gamma_prior,
    looked_down_to,
    ratio,
    ratio_above,
    share,
    share_above,
    shrunk,
    smooth_rank_ctr,
)


def spread_of(hits: np.ndarray, of: np.ndarray) -> Spread:
    """The sums of some pairs, computed the plain way."""
    sums = (hits.sum(), of.sum(), (of.astype(float) ** 2).sum(), (hits**2 / of).sum())
    return Spread(len(hits), *map(float, sums))


def test_intervals_of_a_fixed_prior_are_the_known_ones() -> None:
    # Beta(1, 9) as prior; 5 % quantiles of Beta(2, 9) and Beta(101, 909): .0368 and .0849
    # (stated in the project's notes on weak labels, from scipy's beta distribution).
    prior = Prior(0.1, 10.0, 100)
    assert share_above(0.0368, 1, 1, prior) == pytest.approx(0.95, abs=1e-3)
    assert share_above(0.0849, 100, 1000, prior) == pytest.approx(0.95, abs=2e-3)
    one, many = share(1, 1, prior), share(100, 1000, prior)
    assert (one.value, many.value) == pytest.approx((2 / 11, 101 / 1010))
    # 1 of 1: Beta(2, 9) is 1 - (1-x)^10 - 10 x (1-x)^9 (order statistics): its value at the ends.
    for end, tail in ((one.low, 0.025), (one.high, 0.975)):
        assert end is not None
        assert 1 - (1 - end) ** 10 - 10 * end * (1 - end) ** 9 == pytest.approx(tail, abs=1e-9)


def test_coec_of_a_fixed_prior() -> None:
    # Gamma(1, rate 1) a priori and no click on 2 expected ones: the posterior is exponential with
    # rate 3, so its quantiles are -ln(1 - p) / 3.
    prior = Prior(1.0, 1.0, 100)
    found = ratio(0, 2.0, prior, 50)
    assert found.value == pytest.approx(1 / 3)
    assert (found.low, found.high) == pytest.approx((-math.log(0.975) / 3, -math.log(0.025) / 3))
    assert found.n == 50
    assert ratio_above(1.0, 0, 2.0, prior) == pytest.approx(math.exp(-3))


def test_the_prior_of_many_pairs_ranks_100_of_1000_above_1_of_1() -> None:
    # A log whose documents are clicked 4 % of the time, differently: Beta(2, 48).
    chance = np.random.default_rng(3)
    n = chance.integers(1, 400, 4000)
    hits = chance.binomial(n, chance.beta(2, 48, 4000))
    prior = beta_prior(spread_of(hits, n))
    assert prior.mean == pytest.approx(0.04, abs=0.003)
    assert prior.strength == pytest.approx(50, rel=0.15)
    lucky, proven = share(1, 1, prior), share(100, 1000, prior)
    assert (proven.value or 0) > (lucky.value or 1)
    assert (proven.low or 0) > (lucky.low or 1)
    # Wilson's bound, which many tools sort by, has them the other way round: .2065 and .0829.


def test_the_prior_of_coec_is_found_in_counts_that_have_it() -> None:
    chance = np.random.default_rng(5)
    expected = chance.uniform(0.05, 20, 5000)
    clicks = chance.poisson(expected * chance.gamma(2.5, 1 / 2.5, 5000))
    prior = gamma_prior(spread_of(clicks, expected))
    assert prior.mean == 1.0
    assert prior.strength == pytest.approx(2.5, rel=0.1)


def test_95_percent_of_credible_intervals_hold_the_truth() -> None:
    chance = np.random.default_rng(7)
    n, truth = chance.integers(1, 100, 1500), chance.beta(1.5, 15, 1500)
    hits = chance.binomial(n, truth)
    prior = beta_prior(spread_of(hits, n))
    held = [
        estimate.low <= t <= estimate.high
        for h, m, t in zip(hits.tolist(), n.tolist(), truth, strict=True)
        if (estimate := share(h, m, prior)).low is not None and estimate.high is not None
    ]
    assert np.mean(held) == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize(
    ("spread", "reason"),
    [
        (Spread(0, 0, 0, 0, 0), "few_pairs"),
        (Spread(29, 5, 100, 500, 3), "few_pairs"),
        # All shares alike: 40 pairs with 1 click of 10 each, 1/10 of 40 * 10.
        (Spread(40, 40, 400, 4000, 4.0), "no_spread_beyond_chance"),
        (Spread(40, 0, 400, 4000, 0.0), "no_spread_beyond_chance"),
        (Spread(40, 40, 40, 40, 40.0), "no_spread_beyond_chance"),
        # Always or never: 20 pairs with 10 of 10, 20 with none.
        (Spread(40, 200, 400, 4000, 200.0), "spread_too_wide"),
    ],
)
def test_a_prior_that_the_pairs_do_not_tell_says_so(spread: Spread, reason: str) -> None:
    prior = beta_prior(spread)
    assert prior.reason == reason
    assert 0 < prior.mean < 1
    assert prior.strength == (
        CAREFUL_STRENGTH if reason == "few_pairs" else 1.0 if "wide" in reason else spread.of
    )


def test_coec_without_spread_is_hardly_more_than_one() -> None:
    prior = gamma_prior(Spread(40, 40, 40.0, 0, 40.0))
    assert (prior.strength, prior.reason) == (40.0, "no_spread_beyond_chance")
    assert gamma_prior(Spread(40, 0, 0.0, 0, 0.0)).reason == "few_pairs"


def test_a_rank_with_few_impressions_is_smoothed_by_its_band() -> None:
    # Ranks 4 to 7 are one band: 1,050 impressions and 21 clicks, 2 %. Rank 7 had 2 clicks of 10:
    # (2 + 100 * .02) / (10 + 100) = 4 / 110.
    found = smooth_rank_ctr({1: (1000, 300), 4: (1040, 19), 7: (10, 2), 9: (3, 0)})
    by_rank = {row.rank: row for row in found}
    assert by_rank[1].expected == 0.3
    assert by_rank[7].expected == pytest.approx(4 / 110, abs=1e-9)
    assert by_rank[9].expected == 0.0
    assert by_rank[7].parts == 4 * PARTS // 110


@given(
    st.dictionaries(
        st.integers(1, 10**9), st.tuples(st.integers(0, 10**7), st.integers(0, 10**7)), max_size=8
    )
)
@settings(max_examples=60, deadline=None)
def test_rank_ctr_is_a_share_in_whole_parts(counts: dict[int, tuple[int, int]]) -> None:
    ordered = {rank: (max(pair), min(pair)) for rank, pair in counts.items()}
    for row in smooth_rank_ctr(ordered):
        assert 0 <= row.expected <= 1
        assert row.parts / PARTS == row.expected


def test_more_clicks_than_impressions_at_a_rank_are_refused() -> None:
    with pytest.raises(ValueError, match="3 clicks of 2 impressions at rank 5"):
        smooth_rank_ctr({5: (2, 3)})
    with pytest.raises(ValueError, match="2 hits out of 1"):
        share(2, 1, Prior(0.1, 10, 100))


def test_searches_without_click_were_read_as_far_as_people_get() -> None:
    assert looked_down_to({}) == 10
    assert looked_down_to({1: 9990, 60: 10}) == 1
    assert looked_down_to({1: 9988, 2: 2, 60: 10}) == 2
    assert looked_down_to({1: 50, 60: 1}) == 60
    assert looked_down_to({3: 1}) == 3


def test_many_pairs_at_once_have_the_same_values() -> None:
    prior = Prior(0.2, 4.0, 100)
    hits, of = [0, 3, 7], [1, 3, 900]
    assert shrunk(hits, of, prior) == pytest.approx(
        [share(h, n, prior).value for h, n in zip(hits, of, strict=True)]
    )
