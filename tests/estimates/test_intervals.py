import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from estimates import Estimate, finite_or_none, mean_interval, wilson

# Successes, trials, lower end, upper end, source.
WILSON = [
    (81, 263, 0.2553, 0.3662, "Newcombe (1998), Statist. Med. 17:857, table I"),
    (15, 148, 0.0624, 0.1605, "Newcombe (1998), table I"),
    (0, 20, 0.0, 0.1611, "Newcombe (1998), table I"),
    (1, 29, 0.0061, 0.1718, "Newcombe (1998), table I"),
]


@pytest.mark.parametrize(("successes", "n", "low", "high", "source"), WILSON)
def test_wilson_equals_the_published_intervals(
    successes: int, n: int, low: float, high: float, source: str
) -> None:
    interval = wilson(successes, n)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5), source


def test_a_proportion_of_nothing_has_a_reason() -> None:
    assert wilson(0, 0) == Estimate.undefined("no_trials")


def test_more_successes_than_trials_is_refused() -> None:
    with pytest.raises(ValueError, match="successes == 3"):
        wilson(3, 2)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=50))
def test_mean_interval_equals_scipy(values: list[float]) -> None:
    ours = mean_interval(values)
    assert ours.value == pytest.approx(statistics.fmean(values))
    spread = statistics.stdev(values) / math.sqrt(len(values))
    if spread > 1e-12:
        low, high = stats.t.interval(
            0.95, len(values) - 1, loc=statistics.fmean(values), scale=spread
        )
        assert (ours.low, ours.high) == pytest.approx((low, high))


def test_one_value_has_a_mean_and_no_interval() -> None:
    assert mean_interval([0.5]) == Estimate(0.5, n=1, reason="one_value_has_no_interval")
    assert mean_interval([]).reason == "no_values"


def test_nan_never_enters_an_estimate() -> None:
    with pytest.raises(ValueError, match="use None and a reason"):
        Estimate(math.nan)
    assert finite_or_none(math.inf) is None
    assert finite_or_none(0.25) == 0.25
