"""What flagged sessions do to the effect that a test shows: it is told with and without them."""

from dataclasses import replace

from online.ab import ABTest
from online.wording import change_in_words, value_in_words

METRIC = "ctr"
NOTICEABLE = 0.5
"""In half widths of the interval: an estimate that moves by more is told to move."""


def without_the_other_way(test: ABTest) -> ABTest | None:
    """The test as it would be the other way, flagged sessions left out or counted; None if alike.

    It holds what a verdict on the effect needs: units, searches, ratio and metrics; the days stay.
    Units in both arms are counted one way alone, so their share is not judged the other way.
    """
    bots = test.bots
    if bots is None or not test.other_way:
        return None
    left_out = not test.plan.without_bots
    sign = -1 if left_out else 1
    searches = [n + sign * of_bots for n, of_bots in zip(test.searches, bots.searches, strict=True)]
    return replace(
        test,
        plan=replace(test.plan, without_bots=left_out),
        units=bots.units_without if left_out else bots.units_with,
        searches=(searches[0], searches[1]),
        crossing_units=0,
        ratio=bots.ratio_without if left_out else bots.ratio_with,
        metrics=test.other_way,
        other_way={},
    )


def moves(test: ABTest) -> bool:
    """Whether flagged sessions move the difference in CTR by more than half of its half width."""
    if not test.other_way:
        return False
    here, there = test.metrics[METRIC].difference, test.other_way[METRIC].difference
    if here.value is None or there.value is None:
        return here.value is not there.value
    if here.low is None or here.high is None:
        return here.value != there.value
    return abs(here.value - there.value) > NOTICEABLE * (here.high - here.low) / 2


def both_ways_in_words(test: ABTest, otherwise: str) -> tuple[str, ...]:
    """The difference in CTR the other way, in one sentence; () where no session is flagged.

    Args:
        test: The test.
        otherwise: The headline of the verdict the other way, where it is another one; else "".
    """
    bots = test.bots
    if bots is None or not test.other_way:
        return ()
    arms, n = test.other_way[METRIC], sum(bots.searches)
    way = "With" if test.plan.without_bots else "Without"
    whole = sum(test.searches) + (n if test.plan.without_bots else 0)
    values = [value_in_words(METRIC, arm.value) for arm in (arms.control, arms.treatment)]
    words = (
        f"{way} flagged sessions ({n:,} searches, {100 * n / whole:.1f} %): CTR {values[0]} and "
        f"{values[1]}, {change_in_words(METRIC, arms)}"
    )
    if otherwise:
        return (f"{words}. That changes the conclusion: {otherwise}",)
    if moves(test):
        return (f"{words}: the estimate moves by more than half of its margin of error.",)
    return (f"{words}: much the same.",)
