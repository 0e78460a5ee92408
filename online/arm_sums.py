"""The sums of an A/B test: of both arms, in all and by day, over the units that count."""

import math
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from online.counts import moments_of
from online.engines import Choice, choose_assigned, fetch
from online.knowing import what_logs_know
from online.lake import Connection
from online.metrics import Moments

_Rows: TypeAlias = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Sums:
    """What was fetched of one arm, or of one day of it.

    Attributes:
        units: Units that count.
        searches: Their searches.
        without_rank: Those that were clicked, but at no known rank.
        moments: Metric -> its sums over units; what the log does not know is absent.
    """

    units: int
    searches: int
    without_rank: int
    moments: Mapping[str, Moments]


NO_SUMS = Sums(0, 0, 0, {})


def fetch_sums(connection: Connection, choice: Choice) -> tuple[dict[str, Sums], dict[str, Sums]]:
    """Arm -> its sums over the units that count; and day, a space, arm -> that day's sums.

    A unit may be there on several days, so that only what counts searches adds up over days. Both
    arms of a test are of one log: where it tells conversions of one, the other has had none.
    """
    knowledge = what_logs_know(connection, choice).by_model
    telling = {arm for arm, things in knowledge.items() if "conversions" in things}
    choose_assigned(connection, choice, "day_and_model")
    by_day: dict[str, _Rows] = {}
    by_arm: dict[str, _Rows] = {}
    for row in fetch(connection, "headline"):
        key = str(row["group_key"])
        by_day.setdefault(key, []).append(row)
        by_arm.setdefault(key.partition(" ")[2], []).append(row)
    tells = set(by_arm) if telling & by_arm.keys() else set()
    days_that_tell = {key for key in by_day if key.partition(" ")[2] in tells}
    days = _with_moments(connection, by_day, days_that_tell)
    choose_assigned(connection, choice, "model")
    return _with_moments(connection, by_arm, tells), days


def _with_moments(
    connection: Connection, headline: Mapping[str, _Rows], tells: Collection[str]
) -> dict[str, Sums]:
    """`tells`: which of them are of a log that tells conversions, though they may have none."""
    rows = {row["group_key"]: row for row in fetch(connection, "session_moments")}
    return {
        key: _sums(rows[key], searches, conversions=key in tells)
        for key, searches in headline.items()
    }


def _sums(row: Mapping[str, Any], headline: _Rows, *, conversions: bool) -> Sums:
    moments = moments_of(row)
    ranks: Counter[int] = Counter()
    for of_rank in headline:
        ranks[of_rank["best_click_rank"] or 0] += of_rank["searches"]
    # From the histogram of ranks, exact, as in the report; squares are of rounded 1/2520 parts.
    total = math.fsum(searches / rank for rank, searches in ranks.items() if rank)
    moments["click_mrr"] = replace(moments["click_mrr"], y=total)
    if not conversions:
        del moments["conversion_rate"]
    return Sums(
        units=moments["ctr"].sessions,
        searches=sum(int(r["searches"]) for r in headline),
        without_rank=sum(int(r["clicked_without_rank"]) for r in headline),
        moments=moments,
    )
