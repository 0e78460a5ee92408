"""The sums of an A/B test: of both arms, in all and by day, over the units that count."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from online.counts import moments_of
from online.engines import Choice, choose_assigned, fetch
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

    A unit may be there on several days, so that only what counts searches adds up over days.
    """
    choose_assigned(connection, choice, "day_and_model")
    by_day: dict[str, _Rows] = {}
    by_arm: dict[str, _Rows] = {}
    for row in fetch(connection, "headline"):
        key = str(row["group_key"])
        by_day.setdefault(key, []).append(row)
        by_arm.setdefault(key.partition(" ")[2], []).append(row)
    days = _with_moments(connection, by_day)
    choose_assigned(connection, choice, "model")
    return _with_moments(connection, by_arm), days


def _with_moments(connection: Connection, headline: Mapping[str, _Rows]) -> dict[str, Sums]:
    rows = {row["group_key"]: row for row in fetch(connection, "session_moments")}
    return {key: _sums(rows[key], searches) for key, searches in headline.items()}


def _sums(row: Mapping[str, Any], headline: _Rows) -> Sums:
    moments = moments_of(row)
    ranks: Counter[int] = Counter()
    for of_rank in headline:
        ranks[of_rank["best_click_rank"] or 0] += of_rank["searches"]
    # From the histogram of ranks, exact, as in the report; squares are of rounded 1/2520 parts.
    total = math.fsum(searches / rank for rank, searches in ranks.items() if rank)
    moments["click_mrr"] = replace(moments["click_mrr"], y=total)
    if not any(r["conversions_logged"] for r in headline):
        del moments["conversion_rate"]
    return Sums(
        units=moments["ctr"].sessions,
        searches=sum(int(r["searches"]) for r in headline),
        without_rank=sum(int(r["clicked_without_rank"]) for r in headline),
        moments=moments,
    )
