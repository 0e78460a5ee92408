"""The numbers of an A/B test in words: values, differences, p-values, traffic, days."""

from online.ab import ABTest, Arms
from online.abtest import ALARM, FEW_ON_A_SIDE, FEWEST, SampleRatio

TITLES = {
    "ctr": "CTR",
    "click_mrr": "click-MRR",
    "clicks_at_1_2": "share of clicks at rank 1 or 2",
    "zero_result_rate": "share of searches without results",
    "conversion_rate": "conversion rate",
}
NO_SHARE = {"click_mrr"}
RAREST = 1e-9
"""Smaller p-values are not told apart in words."""
MOST_CROSSING = 0.1
"""Beyond this share there is no verdict. Who saw both arms is left out for what came after the
assignment, the more surely the more they searched: the rest is no fair sample of the users. Where a
tenth is missing, that can outweigh any effect a test is made for."""
UNEASY = 0.01
"""Below this a sample ratio deserves a look, although the alarm is silent."""


def change_in_words(name: str, arms: Arms) -> str:
    """A difference and its interval: "+8.4 points (95 % interval +7.1 to +9.7)"."""
    found = arms.difference
    if found.value is None:
        return "no value"
    words = f"{signed(name, found.value)}{'' if name in NO_SHARE else ' points'}"
    if found.low is None or found.high is None:
        return words
    return f"{words} (95 % interval {signed(name, found.low)} to {signed(name, found.high)})"


def value_in_words(name: str, value: float | None) -> str:
    """A value of a metric: "59.5 %", "0.488", or "no value"."""
    if value is None:
        return "no value"
    return f"{value:.3f}" if name in NO_SHARE else f"{100 * value:.1f} %"


def signed(name: str, value: float) -> str:
    """A difference with its sign: shares in points, "+8.4"; else "-0.021"."""
    if not value:
        return "0"
    return f"{value:+.3f}" if name in NO_SHARE else f"{100 * value:+.1f}"


def p_in_words(p_value: float | None) -> str:
    """A p-value as it is read aloud: "p < .001", "p = .035", or "no p-value"."""
    if p_value is None:
        return "no p-value"
    if p_value < 0.001:
        return "p < .001"
    return f"p = {p_value:.3f}".replace("0.", ".", 1) if p_value < 0.9995 else "p = 1"


def expected_in_words(test: ABTest) -> str:
    """The planned split: "50:50"."""
    return ":".join(f"{share:g}" for share in test.plan.shares)


def ratio_in_words(test: ABTest) -> str:
    """Planned and actual traffic: "50:50 planned, 1,000 and 1,200 sessions came (p = 2.0e-5)"."""
    return _ratio_in_words(test, test.units, test.ratio)


def is_doubtful(test: ABTest) -> bool:
    """Whether the sample ratio deserves a look, although it gives no alarm."""
    return test.ratio.p_value is not None and ALARM <= test.ratio.p_value < UNEASY


def alarm_in_words(test: ABTest) -> tuple[str, str]:
    """Whether the traffic is to be believed, and why: a headline, and what it rests on.

    That no alarm is given does not show that the split is as planned: it is never told so.
    """
    words, p_value = ratio_in_words(test), test.ratio.p_value
    if test.ratio.alarm:
        return "The sample ratio fails.", f"{words}."
    if p_value is None:
        return "The sample ratio cannot be tested yet.", f"{words}."
    limit = f"{ALARM:g}".removeprefix("0")
    if is_doubtful(test):
        return (
            "The sample ratio is doubtful.",
            f"{words}; the alarm is below {limit}. Chance alone is this far off in fewer than 1 of "
            "100 tests: look where the traffic is lost before you believe the test.",
        )
    return "The sample ratio gives no alarm.", f"{words}; the alarm is below {limit}."


def bots_in_words(test: ABTest) -> str:
    """The traffic check the other way: without flagged sessions, or with them; "" without bots."""
    bots = test.bots
    if bots is None or not any(bots.searches):
        return ""
    if test.plan.without_bots:
        words, units, ratio = "with", bots.units_with, bots.ratio_with
    else:
        words, units, ratio = "without", bots.units_without, bots.ratio_without
    control, treatment = bots.searches
    return (
        f"{words} the {control:,} and {treatment:,} searches of flagged sessions: "
        f"{_ratio_in_words(test, units, ratio)}"
    )


def _ratio_in_words(test: ABTest, units: tuple[int, int], ratio: SampleRatio) -> str:
    control, treatment = units
    came = f"{expected_in_words(test)} planned, {control:,} and {treatment:,} {test.unit}s came"
    p_value = ratio.p_value
    if p_value is None:
        return f"{came}: too few to test the split"
    if p_value < RAREST:
        return f"{came} (p < 1e-9)"
    if p_value < 0.001:
        return f"{came} (p = {p_value:.1e})".replace("e-0", "e-")
    return f"{came} ({p_in_words(p_value)})"


def days_in_words(test: ABTest, name: str) -> str:
    """How long the test still has to run for the smallest change worth finding."""
    days = test.days_needed(name)
    if days is None:
        return "cannot be known yet"
    if days == 0:
        return "the test is large enough"
    return f"{days:,} more {'day' if days == 1 else 'days'}"


def crossing_share(test: ABTest) -> float:
    """The share of units that saw both arms and are left out, 0 to 1."""
    units = sum(test.units) + test.crossing_units
    return test.crossing_units / units if units else 0.0


def without_user_in_words(test: ABTest) -> str:
    """Why the session is the unit although most searches name a user; "" where that is not so."""
    missing, searches = test.without_user, sum(test.searches) + test.crossing_searches
    if not 0 < missing < searches / 2:
        return ""
    return (
        f"{missing:,} of {searches:,} searches {'names' if missing == 1 else 'name'} no user, so "
        f"sessions are the unit: choose users to leave {'that one' if missing == 1 else 'those'} "
        "out."
    )


def why_no_interval(test: ABTest, metric: str) -> str:
    """Why a difference has no interval, in a sentence; "" where it has one or no reason."""
    reason = test.metrics[metric].difference.reason
    if reason == FEW_ON_A_SIDE:
        left = " and ".join(f"{n:,}" for n in test.units)
        return (
            f"There are too few {test.unit}s for an interval, {left}: in an arm fewer than {FEWEST}"
            " of them count on one side, such as with a click, or without one."
        )
    return f"It has no interval: {reason.replace('_', ' ')}." if reason else ""


def without_conversions(test: ABTest) -> str:
    """That an arm has had no conversion while the other has had some; "" where that is not so."""
    arms = test.metrics["conversion_rate"]
    rates = (arms.control.value, arms.treatment.value)
    if None in rates or all(rates) or not any(rates):
        return ""
    arm = test.plan.arms[rates.index(0)]
    return f"No search of {arm} has a conversion: see whether its part of the log tells them."
