"""An A/B test on what users did: two model versions, as `goldsmith ab` and the page show it.

The engine fetches sums by arm and day, `abtest` computes, `verdict` finds the words.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from estimates import Estimate
from online.abtest import (
    SIGNIFICANT,
    Difference,
    SampleRatio,
    days_needed,
    difference,
    sample_ratio,
    with_holm,
)
from online.arm_sums import NO_SUMS, Sums, fetch_sums
from online.engines import Choice, Unit, assign, fetch, find_crossing
from online.events import OnlineError
from online.lake import Connection, Lake
from online.metrics import NO_CLICKS, NO_SEARCHES, NOT_LOGGED, ratio

METRICS = {
    "ctr": NO_SEARCHES,
    "click_mrr": NO_SEARCHES,
    "clicks_at_1_2": NO_CLICKS,
    "zero_result_rate": NO_SEARCHES,
    "conversion_rate": NOT_LOGGED,
}
"""What is tested, and why it may be undefined. The no-click rate is 1 - CTR: no further test."""
EVEN = (50.0, 50.0)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is compared.

    Attributes:
        control: Model version of the control.
        treatment: Model version of the treatment.
        unit: What was assigned to an arm; None: the user, where every search names one, else the
            session.
        shares: Planned traffic of control and treatment, in any scale.
        start: First day; None from the first.
        end: Last day, itself included; None to the last.
        effect: The smallest change worth finding, as a share of the control's value.
        tag: Only searches that carry this tag; None all.
        query_class: Only searches of this class; None all.
        without_bots: Leave out the sessions that the lake's rules take for bots.
        zone: Whose days `start`, `end` and the days of the test are.
    """

    control: str
    treatment: str
    unit: Unit | None = None
    shares: tuple[float, float] = EVEN
    start: date | None = None
    end: date | None = None
    effect: float = 0.05
    tag: str | None = None
    query_class: str | None = None
    without_bots: bool = False
    zone: str = "UTC"

    @property
    def arms(self) -> tuple[str, str]:
        """Control and treatment."""
        return self.control, self.treatment

    @property
    def choice(self) -> Choice:
        """Which events count.

        Raises:
            OnlineError: `start` is after `end`, or there is no such zone or class.
        """
        return Choice(
            self.start,
            self.end,
            tag=self.tag,
            query_class=self.query_class,
            without_bots=self.without_bots,
            zone=self.zone,
        )


@dataclass(frozen=True, slots=True)
class Arms:
    """One metric in both arms.

    Attributes:
        control: Of the control; n is the denominator.
        treatment: Of the treatment.
        difference: Treatment minus control.
    """

    control: Estimate
    treatment: Estimate
    difference: Difference


@dataclass(frozen=True, slots=True)
class Day:
    """One day of a test.

    Attributes:
        day: The day, in the zone of the plan.
        searches: Of control and treatment.
        metrics: Metric -> both arms; a day's p-values are not given: they would invite peeking.
    """

    day: date
    searches: tuple[int, int]
    metrics: Mapping[str, Arms]


@dataclass(frozen=True, slots=True)
class BotTraffic:
    """What flagged sessions (`online.bots`) do to the traffic of a test, whichever way is asked.

    Attributes:
        searches: Searches of flagged sessions in control and treatment, of units that count.
        units_with: Units of control and treatment with the flagged sessions.
        units_without: Units without them.
        ratio_with: The sample ratio of `units_with`.
        ratio_without: The sample ratio of `units_without`.
    """

    searches: tuple[int, int]
    units_with: tuple[int, int]
    units_without: tuple[int, int]
    ratio_with: SampleRatio
    ratio_without: SampleRatio


@dataclass(frozen=True, slots=True)
class ABTest:
    """What a test has shown.

    Attributes:
        plan: What was asked.
        unit: What was assigned.
        units: Units of control and treatment that count.
        searches: Their searches.
        crossing_units: Units that were seen in both arms, left out.
        crossing_searches: Their searches, left out with them.
        without_unit: Searches that name no unit, left out.
        without_user: Searches that name no user, where only they made the session the unit; else 0.
        sessions_made_up: Searches that name no session; each counts as one.
        without_rank: Clicked searches of which no click has a rank: 0 in click-MRR.
        ratio: Whether units came to the arms in the planned shares.
        bots: The traffic with and without flagged sessions; None where the lake has none.
        metrics: Metric -> both arms.
        other_way: As `metrics`, without flagged sessions if these count, with them if they do not;
            {} where no flagged session made any of the searches.
        days: Each day that has searches, ascending.
    """

    plan: Plan
    unit: Unit
    units: tuple[int, int]
    searches: tuple[int, int]
    crossing_units: int
    crossing_searches: int
    without_unit: int
    without_user: int
    sessions_made_up: int
    without_rank: int
    ratio: SampleRatio
    bots: "BotTraffic | None"
    metrics: Mapping[str, Arms]
    other_way: Mapping[str, Arms]
    days: Sequence[Day]

    @property
    def duration(self) -> int:
        """Days from the first to the last with searches, both included."""
        return (self.days[-1].day - self.days[0].day).days + 1 if self.days else 0

    @property
    def ctr_dropped(self) -> bool:
        """Whether CTR is lower, p < .05 by itself: a guard on one metric takes no correction."""
        found = self.metrics["ctr"].difference
        if found.value is None or found.p_value is None:
            return False
        return found.value < 0 and found.p_value < SIGNIFICANT

    @property
    def guard_reasons(self) -> list[str]:
        """Why a guard fires; empty where it does not.

        `nothing_to_compare` (an arm has no units), `sample_ratio`, `ctr_dropped`.
        """
        found = {
            "nothing_to_compare": not all(self.units),
            "sample_ratio": self.ratio.alarm,
            "ctr_dropped": self.ctr_dropped,
        }
        return [reason for reason, fires in found.items() if fires]

    @property
    def guard_blindness(self) -> str | None:
        """Why a guard cannot tell yet whether CTR dropped; None where it can, or fires anyway."""
        found = self.metrics["ctr"].difference
        return found.reason if found.p_value is None and not self.guard_reasons else None

    def effect_wanted(self, metric: str) -> float | None:
        """The smallest change of a metric worth finding, in its unit."""
        value = self.metrics[metric].control.value
        return value * self.plan.effect if value else None

    def days_needed(self, metric: str) -> int | None:
        """Days still needed to find that change 4 times in 5; None where nobody can say yet."""
        wanted = self.effect_wanted(metric)
        found = self.metrics[metric].difference
        return days_needed(found, wanted, self.duration) if wanted else None


def compare_arms(lake: Lake, plan: Plan) -> ABTest:
    """What users did with two model versions, and whether chance explains the difference.

    Args:
        lake: The events.
        plan: What is compared.

    Raises:
        OnlineError: The plan makes no sense, an arm has no searches in its days, no search names
            the unit, or the lake is damaged.
    """
    _check(plan)
    with lake.connect() as connection:
        return compare_arms_on(connection, plan)


def compare_arms_on(connection: Connection, plan: Plan) -> ABTest:
    """The test of `compare_arms` over a connection that is open already."""
    unit, arms, without_user = _assign(connection, plan)
    _find_crossing(connection, plan, unit)
    bots = _bots(connection, plan, unit)
    other_way = _other_way(connection, plan, unit) if bots and any(bots.searches) else {}
    assign(connection, plan.choice, plan.arms, unit)
    crossing = fetch(connection, "crossing")[0]
    by_arm, by_day = fetch_sums(connection, plan.choice)
    control, treatment = (by_arm.get(arm) or NO_SUMS for arm in (plan.control, plan.treatment))
    units = (control.units, treatment.units)
    return ABTest(
        plan=plan,
        unit=unit,
        units=units,
        searches=(control.searches, treatment.searches),
        crossing_units=int(crossing["units"]),
        crossing_searches=int(crossing["searches"]),
        without_unit=sum(row["searches"] - row["with_unit"] for row in arms),
        without_user=without_user,
        sessions_made_up=sum(int(row["sessions_made_up"]) for row in arms),
        without_rank=control.without_rank + treatment.without_rank,
        ratio=sample_ratio(units, plan.shares),
        bots=bots,
        metrics=_with_holm(_compared(control, treatment)),
        other_way=other_way,
        days=_days(by_day, plan),
    )


def _check(plan: Plan) -> None:
    if plan.control == plan.treatment:
        raise OnlineError(
            f"control and treatment are both {plan.control!r}", hint="Name two model versions."
        )
    numbers = (*plan.shares, plan.effect)
    if not all(math.isfinite(number) and number > 0 for number in numbers):
        raise OnlineError("shares and effect must be positive numbers", hint="Such as 50:50.")


def _assign(connection: Connection, plan: Plan) -> tuple[Unit, list[dict[str, Any]], int]:
    """The unit, the rows of `arms`, and `ABTest.without_user`; the view `assigned` is made."""
    without_user = 0
    if plan.unit != "session":
        arms = _arms(connection, plan, "user")
        named = sum(row["with_unit"] for row in arms)
        if plan.unit == "user" and not named:
            raise OnlineError(
                "no search of these arms names a user",
                hint="Log user_id with each search, or take the session as unit.",
            )
        without_user = sum(row["searches"] for row in arms) - named if named else 0
        if plan.unit == "user" or (named and not without_user):
            return "user", arms, 0
    return "session", _arms(connection, plan, "session"), without_user


def _arms(connection: Connection, plan: Plan, unit: Unit) -> list[dict[str, Any]]:
    assign(connection, plan.choice, plan.arms, unit)
    arms = fetch(connection, "arms")
    for arm in plan.arms:
        if arm not in {row["model_version"] for row in arms}:
            raise OnlineError(
                f"there are no searches of {arm!r} in these days{_chosen_in_words(plan)}",
                hint=_models_known(connection),
            )
    return arms


def _chosen_in_words(plan: Plan) -> str:
    chosen = [f"with the tag {plan.tag!r}"] if plan.tag is not None else []
    chosen += [f"of the class {plan.query_class!r}"] if plan.query_class is not None else []
    chosen += ["without bots"] if plan.without_bots else []
    return "".join(f" {words}" for words in chosen)


def _find_crossing(connection: Connection, plan: Plan, unit: Unit) -> None:
    """Units in both arms, by all their searches of these days.

    A unit that saw the other arm outside of the chosen searches has seen it all the same.
    """
    choice = replace(plan.choice, tag=None, query_class=None, without_bots=False)
    assign(connection, choice, plan.arms, unit)
    find_crossing(connection)


def _bots(connection: Connection, plan: Plan, unit: Unit) -> BotTraffic | None:
    if not connection.execute("SELECT 1 FROM bots LIMIT 1").fetchall():
        return None
    counted = {}
    for without in (False, True):
        assign(connection, replace(plan.choice, without_bots=without), plan.arms, unit)
        by_arm = {row["model_version"]: row for row in fetch(connection, "units_by_arm")}
        counted[without] = [by_arm.get(arm, {"units": 0, "searches": 0}) for arm in plan.arms]
    searches = [int(a["searches"] - b["searches"]) for a, b in zip(*counted.values(), strict=True)]
    units = {without: (int(a["units"]), int(b["units"])) for without, (a, b) in counted.items()}
    return BotTraffic(
        searches=(searches[0], searches[1]),
        units_with=units[False],
        units_without=units[True],
        ratio_with=sample_ratio(units[False], plan.shares),
        ratio_without=sample_ratio(units[True], plan.shares),
    )


def _other_way(connection: Connection, plan: Plan, unit: Unit) -> dict[str, Arms]:
    """The metrics without flagged sessions, or with them where the plan leaves them out."""
    choice = replace(plan.choice, without_bots=not plan.without_bots)
    assign(connection, choice, plan.arms, unit)
    by_arm, _ = fetch_sums(connection, choice)
    return _with_holm(_compared(*(by_arm.get(arm) or NO_SUMS for arm in plan.arms)))


def _models_known(connection: Connection) -> str:
    known = connection.execute("SELECT DISTINCT model_version FROM searches").fetchall()
    names = ", ".join(sorted(str(name) for (name,) in known))
    if not names:
        return "Import a log of searches first: goldsmith events import FILE"
    return f"The log knows these model versions: {names}"


def _compared(control: Sums, treatment: Sums) -> dict[str, Arms]:
    found = {}
    for name, undefined in METRICS.items():
        one, other = control.moments.get(name), treatment.moments.get(name)
        found[name] = Arms(
            ratio(one, undefined) if one else Estimate.undefined(undefined),
            ratio(other, undefined) if other else Estimate.undefined(undefined),
            difference(one, other, undefined=undefined),
        )
    return found


def _with_holm(metrics: Mapping[str, Arms]) -> dict[str, Arms]:
    tested = with_holm({name: arms.difference for name, arms in metrics.items()})
    return {name: replace(arms, difference=tested[name]) for name, arms in metrics.items()}


def _days(by_key: Mapping[str, Sums], plan: Plan) -> list[Day]:
    days = sorted({key.partition(" ")[0] for key in by_key})
    found = []
    for day in days:
        control, treatment = (
            by_key.get(f"{day} {arm}", NO_SUMS) for arm in (plan.control, plan.treatment)
        )
        searches = (control.searches, treatment.searches)
        found.append(Day(date.fromisoformat(day), searches, _compared(control, treatment)))
    return found
