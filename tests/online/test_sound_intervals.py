"""Intervals of medians and of amounts hold what they promise, simulated with clustered sessions."""

import math
import random
import statistics
from collections.abc import Sequence

import pytest

from online.engines import SHARES
from online.metrics import NO_VARIATION, Median, Moments, median, ratio
from online.slices import value_holds


@pytest.mark.parametrize(("spread", "hold"), [(0.5, 0.93), (1.0, 0.91)])
def test_the_interval_of_values_holds_from_100_conversions_on(spread: float, hold: float) -> None:
    # 300 sessions of 1 to 3 searches, of which 30 % convert: about 180 amounts, log-normal. Of 400
    # intervals 93 to 95 % should hold; less 1.5 standard deviations (.012).
    draw = random.Random(7)
    truth, hits, given = 0.3 * math.exp(spread**2 / 2), 0, 0
    for _ in range(400):
        group = []
        for _ in range(300):
            n = draw.randint(1, 3)
            bought = sum(draw.random() < 0.3 for _ in range(n))
            group.append((math.fsum(math.exp(draw.gauss(0, spread)) for _ in range(bought)), n))
        found = ratio(_moments(group), low=-math.inf, high=math.inf)
        if found.low is not None and found.high is not None:
            given += 1
            hits += found.low <= truth <= found.high
    assert hits / given > hold
    assert value_holds(Moments(300, 100.0, 600, 100.0, 1400, 200.0))
    assert not value_holds(Moments(300, 99.0, 600, 99.0, 1400, 200.0))
    assert not value_holds(None)


def _moments(sessions: Sequence[tuple[float, float]]) -> Moments:
    return Moments(
        sessions=len(sessions),
        y=math.fsum(y for y, _ in sessions),
        x=sum(x for _, x in sessions),
        y_y=math.fsum(y * y for y, _ in sessions),
        x_x=sum(x * x for _, x in sessions),
        y_x=math.fsum(y * x for y, x in sessions),
    )


def _median_of(sessions: list[list[float]]) -> Median:
    """What the engine would fetch of these values."""
    values = sorted(value for session in sessions for value in session)
    middle = statistics.median(values)
    places = {share: share * (len(values) - 1) for share in SHARES}
    quantiles = {
        share: values[int(at)] + (at % 1) * (values[min(int(at) + 1, len(values) - 1)]
        - values[int(at)]) for share, at in places.items()
    }  # fmt: skip
    sums = [
        [(sum(test(v, middle) for v in s), len(s)) for s in sessions]
        for test in (float.__lt__, float.__le__)
    ]
    below, up_to = (
        Moments(
            len(sessions), sum(y for y, _ in pairs), len(values), sum(y * y for y, _ in pairs),
            sum(x * x for _, x in pairs), sum(y * x for y, x in pairs),
        )
        for pairs in sums
    )  # fmt: skip
    return Median(quantiles, below, up_to)


@pytest.mark.parametrize(("sessions", "whole_seconds"), [(12, False), (60, False), (60, True)])
def test_the_interval_of_a_median_holds(sessions: int, *, whole_seconds: bool) -> None:
    # Each session has a pace of its own (log-normal, s.d. .7) and 1 to 4 values around it (s.d. 1):
    # the median of all is 20. Of 500 intervals at least 92 % hold: three standard deviations.
    draw = random.Random(20261130)
    given = []
    for _ in range(500):
        group = []
        for _ in range(sessions):
            pace = draw.gauss(math.log(20), 0.7)
            values = [math.exp(draw.gauss(pace, 1)) for _ in range(draw.randint(1, 4))]
            group.append([float(round(v)) if whole_seconds else v for v in values])
        found = median(_median_of(group))
        if found.low is not None and found.high is not None:
            given.append(found.low <= 20 <= found.high)
    assert len(given) > 450
    assert 0.92 <= sum(given) / len(given) <= 0.99


def test_a_median_that_all_share_has_no_interval() -> None:
    found = median(_median_of([[3.0]] * 20))
    assert (found.value, found.low, found.reason) == (3.0, None, NO_VARIATION)
