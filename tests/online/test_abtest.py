"""The A/B statistics against published numbers, values worked by hand, and simulations."""

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from online.abtest import (
    FEW_ON_A_SIDE,
    NEAR_THE_EDGE,
    NO_VARIATION,
    TOO_FEW_EXPECTED,
    TOO_FEW_UNITS,
    Difference,
    days_needed,
    difference,
    sample_ratio,
    with_holm,
)
from online.metrics import NO_CLICKS, NO_SEARCHES, Moments

if TYPE_CHECKING:
    import numpy as np


def _searches(clicked: int, searches: int) -> Moments:
    """One search a session: y and x are 0 or 1."""
    return Moments(searches, clicked, searches, clicked, searches, clicked)


def _mean(units: int, total: float, squares: float) -> Moments:
    """A mean over units: every denominator is 1."""
    return Moments(units, total, units, squares, units, total)


def test_a_difference_by_hand() -> None:
    # .13 - .10 = .03; variances .1 * .9 / 999 + .13 * .87 / 999, error .014258;
    # .03 -+ 1.959964 * .014258 = [.0021, .0579]; z = 2.1041, p = .035.
    found = difference(_searches(100, 1000), _searches(130, 1000))
    assert found.value == pytest.approx(0.03)
    assert found.low == pytest.approx(0.0021, abs=5e-5)
    assert found.high == pytest.approx(0.0579, abs=5e-5)
    assert found.p_value == pytest.approx(0.035, abs=5e-4)
    assert found.error == pytest.approx(math.sqrt((0.09 + 0.1131) / 999))


def test_clustered_units_by_hand() -> None:
    # Ten times the units (clicked, searches) (1, 2), (0, 1), (2, 2): R = .6, Var = 30/29 * 10.4 /
    # 2500 (test_metrics). Ten times (0, 2), (1, 1), (1, 2): R = .4, residuals -.8, .6, .2; squares
    # .64 + .36 + .04 = 1.04, so the same variance. Difference -.2, error sqrt(2 * .004303) =
    # .092769; 58 degrees of freedom, t = 2.001717.
    control = Moments(30, 30, 50, 50, 90, 60)
    treatment = Moments(30, 20, 50, 20, 90, 30)
    found = difference(control, treatment)
    error = math.sqrt(2 * 30 / 29 * 10.4 / 2500)
    assert found.value == pytest.approx(-0.2)
    assert (found.low, found.high) == pytest.approx(
        (-0.2 - 2.001717 * error, -0.2 + 2.001717 * error), abs=1e-6
    )


def test_tea_tasting_orders_a_session() -> None:
    # tea-tasting 1.14.0, make_users_data(seed=42), RatioOfMeans("orders", "sessions"); the sums are
    # those of its data. Its README: .266, .289, p .0762.
    control = Moments(2023, 1073, 4038, 2073, 10098, 2648)
    treatment = Moments(1977, 1133, 3920, 2121, 9698, 2730)
    found = difference(control, treatment, normal_from=math.inf)
    assert control.y / control.x == pytest.approx(0.2657256067)
    assert treatment.y / treatment.x == pytest.approx(0.2890306122)
    assert found.value is not None
    assert found.error is not None
    assert found.value / found.error == pytest.approx(1.7734062668)
    assert found.p_value == pytest.approx(0.0762375998, abs=1e-9)
    assert (found.low, found.high) == pytest.approx((-0.00245943367, 0.0490694447), abs=1e-9)
    assert difference(control, treatment).p_value == pytest.approx(0.07623760, abs=1e-4)


def test_growthbook_difference_of_means() -> None:
    # GrowthBook, packages/stats/tests/frequentist/test_tests.py: two-sided t-test, absolute.
    control = _mean(3407, 1396.87, 52377.9767)
    treatment = _mean(3461, 2422.7, 134698.29)
    found = difference(control, treatment, normal_from=math.inf)
    assert found.value == pytest.approx(0.29, abs=5e-6)
    assert (found.low, found.high) == pytest.approx((0.04538, 0.53462), abs=5e-6)
    assert found.error == pytest.approx(0.12478, abs=5e-6)
    assert found.p_value == pytest.approx(0.02016, abs=5e-6)


@pytest.mark.parametrize(
    ("units", "shares", "chi_square", "p_value", "alarm"),
    [
        # srm.osc.garden (.0008); Wikipedia; the same; by hand; attributed to Kohavi et al. (2020).
        ((44_000, 45_000), (50, 50), 11.236, 0.000802, True),
        ((600, 400), (1, 1), 40.0, 2.54e-10, True),
        ((502, 498), (50, 50), 0.016, 0.899, False),
        ((5100, 2400, 2500), (50, 25, 25), 6.0, 0.0498, False),
        ((821_588, 815_482), (50, 50), 22.77, 1.82e-6, True),
        # 100^2 / 1100 * 2 = 18.18.
        ((1000, 1200), (50, 50), 18.182, 2.0e-5, True),
        ((900, 100), (90, 10), 0.0, 1.0, False),
        ((500, 500), (90, 10), 1777.8, 0.0, True),
    ],
)
def test_sample_ratios(
    units: tuple[int, ...], shares: tuple[int, ...], chi_square: float, p_value: float, alarm: bool
) -> None:
    found = sample_ratio(units, shares)
    assert found.chi_square == pytest.approx(chi_square, rel=1e-3)
    assert found.p_value == pytest.approx(p_value, rel=6e-3, abs=1e-15)
    assert found.alarm is alarm


def test_a_sample_ratio_of_few_units_is_not_tested() -> None:
    found = sample_ratio((8, 1), (50, 50))
    assert (found.p_value, found.reason, found.alarm) == (None, TOO_FEW_EXPECTED, False)
    assert sample_ratio((0, 0), (50, 50)).reason == TOO_FEW_EXPECTED
    assert sample_ratio((0, 40), (50, 50)).alarm


@pytest.mark.parametrize(
    ("control", "treatment", "value", "reason"),
    [
        (None, _searches(1, 2), None, NO_CLICKS),
        (Moments(3, 0, 0, 0, 0, 0), _searches(1, 2), None, NO_CLICKS),
        (Moments(1, 1, 3, 1, 9, 3), _searches(30, 90), 0.0, TOO_FEW_UNITS),
        (_searches(0, 1000), _searches(0, 1000), 0.0, NEAR_THE_EDGE),
        (_searches(3, 1000), _searches(6, 1000), 0.003, NEAR_THE_EDGE),
        (_searches(997, 1000), _searches(994, 1000), -0.003, NEAR_THE_EDGE),
        # A thousand clicks, all of them by one robot.
        (Moments(900, 1000, 1899, 1e6, 1e6 + 899, 1e6), _searches(30, 90), -0.1933, FEW_ON_A_SIDE),
        (_searches(2, 7), _searches(2, 5), 0.1143, FEW_ON_A_SIDE),
        # Ten units with one click in two searches each: nothing varies.
        (Moments(10, 10, 20, 10, 40, 20), _searches(30, 90), -1 / 6, NO_VARIATION),
    ],
)
def test_what_has_no_interval_says_why(
    control: Moments | None, treatment: Moments, value: float | None, reason: str
) -> None:
    found = difference(control, treatment, undefined=NO_CLICKS)
    assert found.value == (None if value is None else pytest.approx(value, abs=1e-4))
    assert found.reason == reason
    assert (found.low, found.high, found.p_value, found.smallest_effect) == (None,) * 4
    assert difference(None, None).reason == NO_SEARCHES


def test_an_arm_without_clicks_has_a_p_value_but_no_interval() -> None:
    # Pooled z-test of two proportions: .1 / sqrt(.05 * .95 * 2 / 1000) = 10.26; 3 and 15 of 143:
    # .08392 / sqrt(.06294 * .93706 * 2 / 143) = 2.922, p = .0035.
    lost = difference(_searches(100, 1000), _searches(0, 1000))
    assert (lost.value, lost.low, lost.reason) == (-0.1, None, NEAR_THE_EDGE)
    assert lost.p_value == pytest.approx(math.erfc(10.2598 / math.sqrt(2)), rel=1e-3)
    few = difference(_searches(15, 143), _searches(3, 143))
    assert few.p_value == pytest.approx(0.0035, abs=5e-5)
    assert difference(_searches(900, 1000), _searches(1000, 1000)).p_value == pytest.approx(
        lost.p_value
    )


def test_holm_over_the_metrics_that_were_tested() -> None:
    found = with_holm(
        {
            "ctr": Difference(0.03, p_value=0.02),
            "click_mrr": Difference(0.02, p_value=0.04),
            "conversion_rate": Difference(None, reason="not_logged"),
        }
    )
    assert [round(d.p_holm, 4) if d.p_holm else None for d in found.values()] == [0.04, 0.04, None]
    assert [d.significant for d in found.values()] == [True, True, False]


def test_power_against_the_textbook() -> None:
    # 10 % against 12 % takes 3,841 units an arm (pooled z) or 3,835 (arcsine): there the smallest
    # effect found 4 times in 5 is 2 points.
    found = difference(_searches(384, 3841), _searches(461, 3841))
    assert found.smallest_effect == pytest.approx(0.02, abs=2e-5)


def test_days_needed_grow_with_the_square() -> None:
    # error .01, so 2.801585 points now; half of it takes four times the 7 days: 21 more.
    found = Difference(0.0, error=0.01)
    assert days_needed(found, 0.02801585218, 7) == 0
    assert days_needed(found, 0.02801585218 / 2, 7) == 21
    assert days_needed(found, 0.5, 7) == 0
    assert days_needed(Difference(0.0, reason=NO_VARIATION), 0.01, 7) is None
    assert days_needed(found, 0.0, 7) is None


def test_an_a_a_test_of_clustered_sessions_seldom_cries_wolf() -> None:
    # 10,000 tests: three standard deviations of 5 % are .65 %.
    ours, naive = _false_alarms(10_000)
    assert 0.0435 <= ours <= 0.0565
    assert 0.25 <= naive <= 0.30


def test_intervals_of_a_real_difference_cover_it() -> None:
    assert 0.9435 <= _coverage(10_000) <= 0.9565


@pytest.mark.slow
def test_a_a_and_coverage_of_many_tests() -> None:
    # 100,000 tests: three standard deviations are .2 %.
    ours, naive = _false_alarms(100_000)
    assert 0.047 <= ours <= 0.053
    assert 0.26 <= naive <= 0.285
    assert 0.947 <= _coverage(100_000) <= 0.953


@pytest.mark.slow
def test_few_clicks_keep_the_promise_too() -> None:
    # In a tenth of them an arm has so few clicks that only the pooled test serves.
    ours, _ = _false_alarms(20_000, shape=(0.05, 3.0))
    assert 0.04 <= ours <= 0.06


@pytest.mark.slow
@pytest.mark.parametrize("sessions", [20, 50])
def test_small_arms_keep_their_promise(sessions: int) -> None:
    ours, _ = _false_alarms(40_000, sessions)
    assert 0.04 <= ours <= 0.06


def test_what_the_warning_against_peeking_says() -> None:
    # 30 daily looks at 500 users an arm and day, one search each, 10 % clicked in both arms: 27 %
    # of 3,000 tests show p < .05 on some day; three standard deviations are 2.4 %.
    import numpy as np

    draw = np.random.default_rng(5)
    clicked = draw.binomial(500, 0.1, (2, 3000, 30)).cumsum(axis=2).tolist()
    stopped = 0
    for control, treatment in zip(*clicked, strict=True):
        looks = (
            difference(_searches(c, 500 * day), _searches(t, 500 * day)).p_value
            for day, (c, t) in enumerate(zip(control, treatment, strict=True), start=1)
        )
        stopped += any(p is not None and p < 0.05 for p in looks)
    assert 0.245 <= stopped / 3000 <= 0.30


SESSIONS = 200
"""Sessions an arm in the simulations, of 1 to 14 searches; each clicks as it is inclined."""


def _false_alarms(
    tests: int, sessions: int = SESSIONS, shape: tuple[float, float] = (1.0, 2.0)
) -> tuple[float, float]:
    """How often p < .05 where both arms are alike: ours, and of the test of single searches."""
    ours = naive = made = 0
    for control, treatment in _simulated(tests, sessions, shape, shape):
        found = difference(control, treatment)
        if found.p_value is not None:
            made += 1
            ours += found.p_value < 0.05
            naive += abs(_naive_z(control, treatment)) > 1.96
    assert made > 0.9 * tests
    return ours / made, naive / made


def _coverage(tests: int) -> float:
    """How often the interval holds the true difference: Beta(1, 2) has mean 1/3, (1.5, 2) 3/7."""
    true = 3 / 7 - 1 / 3
    hits = 0
    for control, treatment in _simulated(tests, SESSIONS, (1.0, 2.0), (1.5, 2.0)):
        found = difference(control, treatment)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= true <= found.high
    return hits / tests


def _naive_z(control: Moments, treatment: Moments) -> float:
    pooled = (control.y + treatment.y) / (control.x + treatment.x)
    error = math.sqrt(pooled * (1 - pooled) * (1 / control.x + 1 / treatment.x))
    return (treatment.y / treatment.x - control.y / control.x) / error


def _simulated(
    tests: int, sessions: int, control: tuple[float, float], treatment: tuple[float, float]
) -> Iterator[tuple[Moments, Moments]]:
    import numpy as np

    draw = np.random.default_rng(20261130)
    for start in range(0, tests, 500):
        n = min(500, tests - start)
        yield from zip(
            *(_arms(draw, n, sessions, shape) for shape in (control, treatment)), strict=True
        )


def _arms(
    draw: "np.random.Generator", tests: int, sessions: int, shape: tuple[float, float]
) -> list[Moments]:
    searches = draw.integers(1, 15, (tests, sessions))
    clicked = draw.binomial(searches, draw.beta(*shape, (tests, sessions)))
    summed: Callable[[np.ndarray], list[int]] = lambda sums: sums.sum(axis=1).tolist()  # noqa: E731
    columns = map(
        summed,
        (clicked, searches, clicked * clicked, searches * searches, clicked * searches),
    )
    return [Moments(sessions, *sums) for sums in zip(*columns, strict=True)]
