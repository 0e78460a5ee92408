"""What an A/B test says: differences of ratio metrics, sample ratio, power; pure.

The unit is what was assigned to an arm, a user or a session. The searches of one unit are not
independent: variances are those of the delta method over units, out of six sums an arm.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from estimates import holm
from online.metrics import NO_SEARCHES, Moments

ALARM = 0.001
"""A sample ratio that chance gives more rarely than this is broken: Kohavi, Tang and Xu (2020)."""
SIGNIFICANT = 0.05
POWER = 0.8
TOO_FEW_UNITS = "fewer_than_2_units_an_arm"
NO_VARIATION = "no_variation_between_units"
NEAR_THE_EDGE = "too_near_0_or_1"
FEW_ON_A_SIDE = "fewer_than_5_units_on_one_side"
EDGE = 0.05
"""An arm this near to 0 or 1 has few units on one side for that; any other one has few units."""
TOO_FEW_EXPECTED = "fewer_than_5_units_expected"
FEWEST = 5
"""How many units an arm must have on either side (with and without clicks) for an interval."""
NORMAL_FROM = 1000
"""From this many units an arm the quantile is the normal one; Student's is .06 % wider there."""
_Z = 1.959963984540054  # the standard normal's .975 quantile
_Z_POWER = 0.8416212335729143  # its .8 quantile


@dataclass(frozen=True, slots=True)
class Difference:
    """How far a metric of the treatment lies from that of the control.

    Attributes:
        value: Treatment minus control, in the metric's unit; None where one of them is undefined.
        low: Lower end of the 95 % interval, for this metric alone; None where there is none.
        high: Its upper end.
        p_value: Two-sided, for this metric alone; None where it cannot be tested.
        p_holm: Corrected for all metrics that were tested together (`with_holm`).
        error: Standard error of the difference.
        reason: Why value or interval is missing; None if both are there.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    p_holm: float | None = None
    error: float | None = None
    reason: str | None = None

    @property
    def significant(self) -> bool:
        """Whether chance is no good explanation, all metrics considered."""
        return self.p_holm is not None and self.p_holm < SIGNIFICANT

    @property
    def smallest_effect(self) -> float | None:
        """The smallest true difference that a test of this size finds 4 times in 5.

        (z(.975) + z(.8)) times the standard error, in the metric's unit.
        """
        return None if self.error is None else (_Z + _Z_POWER) * self.error


@dataclass(frozen=True, slots=True)
class SampleRatio:
    """Whether units came to the arms in the planned shares.

    Attributes:
        expected: How many units each arm should have.
        chi_square: Pearson's statistic; None where it cannot be computed.
        p_value: How often chance alone gives shares as far off; None where it cannot be computed.
        reason: Why not.
    """

    expected: tuple[float, ...]
    chi_square: float | None = None
    p_value: float | None = None
    reason: str | None = None

    @property
    def alarm(self) -> bool:
        """Whether the test is broken: what it shows is no effect of the treatment."""
        return self.p_value is not None and self.p_value < ALARM


def difference(
    control: Moments | None,
    treatment: Moments | None,
    *,
    undefined: str = NO_SEARCHES,
    normal_from: float = NORMAL_FROM,
) -> Difference:
    """The difference of two ratios of sums over independent units, with its 95 % interval.

    R = sum(y) / sum(x) in each arm, Var(R) = k / (k - 1) * sum((y - R x)^2) / sum(x)^2 over k
    units (`Moments.sessions`, whatever the unit); the variances add up. Deng, Knoblich and Lu
    (2018), Applying the delta method in metric analytics, section 3. The quantile is the normal
    one, or Student's with Welch's degrees of freedom in small arms. No interval where an arm has
    fewer than 2 units, or so few on one side (clicked, not clicked) that no bell curve is in sight;
    an arm that lost all its clicks still has a p-value, of the test that pools both arms.

    Args:
        control: Sums over the units of the control; None where there are none.
        treatment: Those of the treatment.
        undefined: The reason where a ratio has no denominator.
        normal_from: Units in the smaller arm from which the normal quantile is taken.

    Returns:
        The difference; without `p_holm`, which takes all metrics.
    """
    if control is None or treatment is None or not control.x or not treatment.x:
        return Difference(None, reason=undefined)
    value = treatment.y / treatment.x - control.y / control.x
    if reason := _why_no_interval(control, treatment):
        few = reason in (NEAR_THE_EDGE, FEW_ON_A_SIDE)
        p_value = _pooled_p(control, treatment) if few else None
        return Difference(value, p_value=p_value, reason=reason)
    variances = (_variance(control), _variance(treatment))
    error = math.sqrt(sum(variances))
    degrees = _degrees(variances, (control.sessions, treatment.sessions), normal_from)
    half = _quantile(degrees) * error
    low, high = value - half, value + half
    return Difference(value, low, high, _two_sided(value / error, degrees), error=error)


def with_holm(differences: Mapping[str, Difference]) -> dict[str, Difference]:
    """The same differences, their p-values corrected for each other."""
    adjusted = holm([found.p_value for found in differences.values()])
    pairs = zip(differences.items(), adjusted, strict=True)
    return {name: replace(found, p_holm=p) for (name, found), p in pairs}


def sample_ratio(units: Sequence[int], shares: Sequence[float]) -> SampleRatio:
    """Pearson's chi-square test of the units an arm against the planned shares.

    Args:
        units: Units of each arm.
        shares: What was planned, in any scale: 50 and 50, 9 and 1; all positive.

    Returns:
        The test; without p where an arm expects fewer than 5 units.
    """
    total, whole = sum(units), sum(shares)
    expected = tuple(total * share / whole for share in shares)
    if min(expected) < FEWEST:
        return SampleRatio(expected, reason=TOO_FEW_EXPECTED)
    from scipy.special import chdtrc

    pairs = zip(units, expected, strict=True)
    chi_square = math.fsum((n - planned) ** 2 / planned for n, planned in pairs)
    return SampleRatio(expected, chi_square, float(chdtrc(len(units) - 1, chi_square)))


def days_needed(found: Difference, effect: float, days: int) -> int | None:
    """How many days more, at the traffic so far, until an effect is found 4 times in 5.

    The variance falls as 1 / days: days * (smallest effect now / effect)^2 in all.

    Args:
        found: What the test has seen so far.
        effect: The smallest difference worth finding, in the metric's unit, not 0.
        days: Days of traffic so far, at least 1.

    Returns:
        Whole days, 0 where the test is large enough; None where that cannot be known yet.
    """
    if found.smallest_effect is None or not effect:
        return None
    in_all = days * (found.smallest_effect / effect) ** 2
    return max(0, math.ceil(in_all - days - 1e-6))


def _why_no_interval(control: Moments, treatment: Moments) -> str | None:
    arms = (control, treatment)
    if min(arm.sessions for arm in arms) < 2:
        return TOO_FEW_UNITS
    if min(min(_sides(arm)) for arm in arms) < FEWEST:
        least = min(arms, key=lambda arm: min(_sides(arm)))
        return FEW_ON_A_SIDE if EDGE <= least.y / least.x <= 1 - EDGE else NEAR_THE_EDGE
    if any(_spread(arm) <= 1e-9 * arm.y_y for arm in arms):
        return NO_VARIATION
    return None


def _pooled_p(control: Moments, treatment: Moments) -> float | None:
    """The score test: as if both arms had one ratio, whose variance both tell together.

    With one search a unit it is the z-test of two proportions with pooled variance. None where an
    arm would expect fewer than 5 units on one side.
    """
    both = _pooled(control, treatment)
    arms = (control, treatment)
    if min(_sides(both)) * min(arm.sessions for arm in arms) / both.sessions < FEWEST:
        return None
    variance = _spread(both) / both.sessions
    error = math.sqrt(math.fsum(variance * arm.sessions / arm.x**2 for arm in arms))
    return _two_sided((treatment.y / treatment.x - control.y / control.x) / error, None)


def _pooled(one: Moments, other: Moments) -> Moments:
    return Moments(
        sessions=one.sessions + other.sessions,
        y=one.y + other.y,
        x=one.x + other.x,
        y_y=one.y_y + other.y_y,
        x_x=one.x_x + other.x_x,
        y_x=one.y_x + other.y_x,
    )


def _sides(arm: Moments) -> tuple[float, float]:
    """How many units y comes from, and how many x - y: sum^2 / sum of squares (Kish 1965).

    Where each unit has one search these are just the units with and without a click.
    """
    rest = arm.x - arm.y
    rest_rest = arm.x_x - 2 * arm.y_x + arm.y_y
    with_it = arm.y**2 / arm.y_y if arm.y_y > 0 else 0.0
    return with_it, rest**2 / rest_rest if rest_rest > 0 else 0.0


def _spread(arm: Moments) -> float:
    """sum((y - R x)^2) over the units."""
    value = arm.y / arm.x
    return arm.y_y - 2 * value * arm.y_x + value * value * arm.x_x


def _variance(arm: Moments) -> float:
    return arm.sessions / (arm.sessions - 1) * _spread(arm) / arm.x**2


def _degrees(
    variances: tuple[float, float], units: tuple[int, int], normal_from: float
) -> float | None:
    """Welch's degrees of freedom; None where the normal distribution does."""
    if min(units) >= normal_from:
        return None
    parts = (v * v / (k - 1) for v, k in zip(variances, units, strict=True))
    return sum(variances) ** 2 / math.fsum(parts)


def _quantile(degrees: float | None) -> float:
    if degrees is None:
        return _Z
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.975))


def _two_sided(statistic: float, degrees: float | None) -> float:
    if degrees is None:
        return math.erfc(abs(statistic) / math.sqrt(2))
    from scipy.special import stdtr

    return 2 * float(stdtr(degrees, -abs(statistic)))
