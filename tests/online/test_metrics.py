"""Known answers with their derivation, and the delta method against a plain computation."""

import math
import random
import statistics

import pytest
from scipy import stats

from online.metrics import (
    CTR_AT,
    NO_CLICKS,
    NO_SEARCHES,
    NO_VARIATION,
    NOT_LOGGED,
    ONE_SESSION,
    Counts,
    Moments,
    online_metrics,
    ratio,
)


def _moments(sessions: list[tuple[float, float]]) -> Moments:
    return Moments(
        sessions=len(sessions),
        y=sum(y for y, _ in sessions),
        x=sum(x for _, x in sessions),
        y_y=sum(y * y for y, _ in sessions),
        x_x=sum(x * x for _, x in sessions),
        y_x=sum(y * x for y, x in sessions),
    )


def test_a_ratio_by_hand() -> None:
    # Sessions (clicked, searches): (1, 2), (0, 1), (2, 2). R = 3 / 5 = .6.
    # Residuals y - R x: -.2, -.6, .8; squares .04 + .36 + .64 = 1.04.
    # Var = 3/2 * 1.04 / 25 = .0624, error .249800; t(2, .975) = 4.302653; half 1.07480.
    estimate = ratio(_moments([(1, 2), (0, 1), (2, 2)]))
    assert estimate.value == pytest.approx(0.6)
    assert (estimate.low, estimate.high) == (0.0, 1.0)  # clipped: .6 -+ 1.07480
    # Ten times the same sessions: Var = 30/29 * 10.4 / 2500, error .0656; t(29) = 2.04523.
    many = ratio(_moments([(1, 2), (0, 1), (2, 2)] * 10))
    half = 2.045230 * math.sqrt(30 / 29 * 10.4) / 50
    assert many.low == pytest.approx(0.6 - half)
    assert many.high == pytest.approx(0.6 + half)
    assert many.n == 50


def test_one_search_a_session_is_the_interval_of_a_mean() -> None:
    draw = random.Random(7)
    clicks = [float(draw.random() < 0.3) for _ in range(200)]
    estimate = ratio(_moments([(click, 1.0) for click in clicks]))
    error = statistics.stdev(clicks) / math.sqrt(len(clicks))
    low, high = stats.t.interval(0.95, len(clicks) - 1, loc=statistics.fmean(clicks), scale=error)
    assert (estimate.low, estimate.high) == pytest.approx((low, high))


def test_coverage_of_clustered_sessions_is_near_95_percent() -> None:
    # 400 logs of 200 sessions, each with its own inclination to click (Beta(2, 5), mean 2/7) and 1
    # to 5 searches. Expected 380 hits, binomial standard deviation 4.4; taken too narrow by
    # ignoring the clustering, about 340.
    draw = random.Random(20261130)
    hits = 0
    for _ in range(400):
        sessions = []
        for _ in range(200):
            inclination, n = draw.betavariate(2, 5), draw.randint(1, 5)
            sessions.append((float(sum(draw.random() < inclination for _ in range(n))), float(n)))
        estimate = ratio(_moments(sessions))
        assert estimate.low is not None
        assert estimate.high is not None
        hits += estimate.low <= 2 / 7 <= estimate.high
    assert 367 <= hits <= 393  # three standard deviations


def test_what_cannot_be_computed_says_why() -> None:
    empty = online_metrics(Counts())
    assert empty.searches == 0
    assert {name: e.reason for name, e in empty.estimates.items() if e.value is None} == {
        "ctr": NO_SEARCHES,
        "click_mrr": NO_SEARCHES,
        "first_click_mrr": NO_SEARCHES,
        "no_click_rate": NO_SEARCHES,
        "zero_result_rate": NO_SEARCHES,
        "clicks_at_1_2": NO_CLICKS,
        "median_dwell_s": NOT_LOGGED,
        "conversion_rate": NO_SEARCHES,
        **dict.fromkeys(CTR_AT.values(), NO_SEARCHES),
        "dwell_over_30_s": NO_SEARCHES,
        "median_first_click_s": NOT_LOGGED,
        "conversion_value_per_search": NO_SEARCHES,
        "reformulation_rate": NO_SEARCHES,
    }
    assert ratio(_moments([(1, 3)])).reason == ONE_SESSION
    assert ratio(_moments([(1, 1), (2, 2)])).reason == NO_VARIATION
    assert ratio(_moments([(1, 1), (2, 2)])).value == 1.0


def test_a_click_without_rank_counts_for_ctr_and_0_for_mrr() -> None:
    # Three searches, clicked at 2, at 4, and without a rank: (1/2 + 1/4 + 0) / 3 = .25.
    counts = Counts(
        searches=3,
        best_ranks={2: 1, 4: 1},
        click_ranks={2: 1, 4: 1, None: 1},
        clicked_without_rank=1,
        moments={
            "ctr": Moments(2, 3, 3, 5, 5, 5),
            "click_mrr": Moments(2, 0.75, 3, 0.5625, 5, 1.5),
        },
    )
    metrics = online_metrics(counts)
    assert metrics.estimates["click_mrr"].value == 0.25
    assert metrics.estimates["ctr"].value == 1.0
    assert metrics.clicks == 3
    assert metrics.clicks_by_rank == {2: 1, 4: 1}
    assert (metrics.clicks_without_rank, metrics.searches_without_rank) == (1, 1)
