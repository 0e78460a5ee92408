"""What the counts of a log say: click-through rate, click-MRR and their kin; pure.

A *search* is one submitted query with its result list. Rates are ratios of sums over sessions, and
their intervals are clustered by session: the searches of one visit are not independent (an A/A test
that takes them so cries wolf in a quarter of the cases).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from estimates import Estimate

NO_SEARCHES = "no_searches"
NO_CLICKS = "no_ranked_clicks"
NOT_LOGGED = "not_logged"
ONE_SESSION = "one_session_has_no_interval"
NO_VARIATION = "no_variation_between_sessions"
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums over sessions of a numerator y and a denominator x.

    Attributes:
        sessions: How many sessions.
        y: Sum of y, such as the searches with a click.
        x: Sum of x, such as the searches.
        y_y: Sum of the squares of y.
        x_x: Sum of the squares of x.
        y_x: Sum of the products of y and x.
    """

    sessions: int
    y: float
    x: float
    y_y: float
    x_x: float
    y_x: float


@dataclass(frozen=True, slots=True)
class Counts:
    """The sufficient statistics of a group of searches; integers but for the median.

    Attributes:
        searches: Searches.
        best_ranks: Rank of the best-ranked click -> searches.
        click_ranks: Rank -> clicks, all of them; None is a click whose rank was not logged.
        clicked_without_rank: Searches whose clicks all have no rank; their reciprocal rank is 0.
        moments: Metric -> its sums over sessions.
        first_ranks: Rank of the first click in time -> searches; None where it is in all of them
            the rank of the best-ranked click.
        conversions_logged: Searches of which the log says whether they converted.
        median_dwell_s: Median dwell time in seconds; None where none was logged.
    """

    searches: int = 0
    best_ranks: Mapping[int, int] = field(default_factory=dict)
    click_ranks: Mapping[int | None, int] = field(default_factory=dict)
    clicked_without_rank: int = 0
    moments: Mapping[str, Moments] = field(default_factory=dict)
    conversions_logged: int = 0
    median_dwell_s: float | None = None
    first_ranks: Mapping[int, int] | None = None


@dataclass(frozen=True, slots=True)
class OnlineMetrics:
    """What users did in a group of searches.

    Attributes:
        searches: Searches.
        sessions: Sessions.
        clicks: Clicks, all of them.
        clicks_by_rank: Rank -> clicks, ascending.
        clicks_without_rank: Clicks whose rank was not logged.
        searches_without_rank: Clicked searches that count 0 in click-MRR for want of a rank.
        estimates: Metric -> estimate: ctr, click_mrr, first_click_mrr, no_click_rate,
            zero_result_rate, clicks_at_1_2, median_dwell_s, conversion_rate; rates in [0, 1].
    """

    searches: int
    sessions: int
    clicks: int
    clicks_by_rank: Mapping[int, int]
    clicks_without_rank: int
    searches_without_rank: int
    estimates: Mapping[str, Estimate]

    def as_json(self) -> dict[str, object]:
        """The document M of `report --json`: values, `intervals`, and `reasons` of what is null.

        `interval_reasons` says why a value has no interval.
        """
        estimates = self.estimates
        return {
            "searches": self.searches,
            "sessions": self.sessions,
            "clicks": self.clicks,
            **{name: estimate.value for name, estimate in estimates.items()},
            "clicks_by_rank": {str(rank): n for rank, n in self.clicks_by_rank.items()},
            "clicks_without_rank": self.clicks_without_rank,
            "searches_without_rank": self.searches_without_rank,
            "intervals": {
                name: [estimate.low, estimate.high]
                for name, estimate in estimates.items()
                if estimate.low is not None
            },
            "reasons": {
                name: estimate.reason
                for name, estimate in estimates.items()
                if estimate.value is None
            },
            "interval_reasons": {
                name: estimate.reason
                for name, estimate in estimates.items()
                if estimate.value is not None and estimate.low is None
            },
        }


def online_metrics(counts: Counts) -> OnlineMetrics:
    """All metrics of a group of searches; what cannot be computed is None with a reason.

    ctr = searches with a click / searches. click_mrr = mean over searches of 1 / rank of the
    best-ranked click, 0 without a click or without a rank: the "max reciprocal rank" of Radlinski,
    Kurup and Joachims (2008), How does clickthrough data reflect retrieval quality?, section 4.
    first_click_mrr = the same of the click that came first: Voorhees's mean reciprocal rank (1999,
    TREC-8 question answering) with the first click in place of the first answer; a user who clicks
    rank 5 and then 1 counts 1/5 here, and 1 there. no_click_rate = 1 - ctr.
    zero_result_rate = searches without results / searches. clicks_at_1_2 = clicks at rank 1 or 2 /
    clicks with a rank. conversion_rate = searches with a conversion / searches.
    """
    by_rank = {rank: n for rank, n in counts.click_ranks.items() if rank is not None}
    dwell = (
        Estimate.undefined(NOT_LOGGED)
        if counts.median_dwell_s is None
        else Estimate(counts.median_dwell_s, n=counts.searches, reason="interval_not_computed")
    )
    estimates = {
        "ctr": _rate(counts, "ctr"),
        "click_mrr": _click_mrr(counts, "click_mrr", counts.best_ranks),
        "first_click_mrr": _first_click_mrr(counts),
        "no_click_rate": _no_click_rate(counts),
        "zero_result_rate": _rate(counts, "zero_result_rate"),
        "clicks_at_1_2": _rate(counts, "clicks_at_1_2", NO_CLICKS),
        "median_dwell_s": dwell,
        "conversion_rate": _conversion_rate(counts),
    }
    return OnlineMetrics(
        searches=counts.searches,
        sessions=counts.moments["ctr"].sessions if "ctr" in counts.moments else 0,
        clicks=sum(counts.click_ranks.values()),
        clicks_by_rank=dict(sorted(by_rank.items())),
        clicks_without_rank=counts.click_ranks.get(None, 0),
        searches_without_rank=counts.clicked_without_rank,
        estimates=estimates,
    )


def ratio(moments: Moments, undefined: str = NO_SEARCHES) -> Estimate:
    """R = sum(y) / sum(x) with its 95 % interval clustered by session, clipped to [0, 1].

    Delta method: Var(R) = k / (k - 1) * (sum(y^2) - 2 R sum(xy) + R^2 sum(x^2)) / sum(x)^2 over k
    sessions; the quantile is Student's with k - 1 degrees of freedom. Deng, Knoblich and Lu (2018),
    Applying the delta method in metric analytics, section 3.

    Args:
        moments: Sums over sessions.
        undefined: The reason where sum(x) is 0.

    Returns:
        The estimate, n = sum(x); without an interval for one session, or where all sessions agree
        (an interval of no width would claim certainty).
    """
    if moments.x == 0:
        return Estimate.undefined(undefined)
    value, k, n = moments.y / moments.x, moments.sessions, int(moments.x)
    if k < 2:
        return Estimate(value, n=n, reason=ONE_SESSION)
    spread = moments.y_y - 2 * value * moments.y_x + value * value * moments.x_x
    if spread <= 1e-9 * max(moments.y_y, 1.0):
        return Estimate(value, n=n, reason=NO_VARIATION)
    from scipy.special import stdtrit

    error = math.sqrt(k / (k - 1) * spread) / moments.x
    half = float(stdtrit(k - 1, (1 + CONFIDENCE) / 2)) * error
    return Estimate(value, low=max(0.0, value - half), high=min(1.0, value + half), n=n)


def _rate(counts: Counts, name: str, undefined: str = NO_SEARCHES) -> Estimate:
    moments = counts.moments.get(name)
    return ratio(moments, undefined) if moments else Estimate.undefined(undefined)


def _first_click_mrr(counts: Counts) -> Estimate:
    if counts.first_ranks is None:
        return _click_mrr(counts, "click_mrr", counts.best_ranks)
    return _click_mrr(counts, "first_click_mrr", counts.first_ranks)


def _click_mrr(counts: Counts, name: str, ranks: Mapping[int, int]) -> Estimate:
    """The value from the integer histogram of ranks, exact; the interval around it."""
    rough = _rate(counts, name)
    if rough.value is None:
        return rough
    total = math.fsum(n / rank for rank, n in ranks.items())
    return Estimate(total / counts.searches, rough.low, rough.high, rough.n, rough.reason)


def _no_click_rate(counts: Counts) -> Estimate:
    """1 - CTR, as searches without a click / searches: .2 where 1 - .8 is .19999999999999996."""
    clicked = counts.moments.get("ctr")
    if clicked is None or not clicked.x:
        return Estimate.undefined(NO_SEARCHES)
    without = Moments(
        sessions=clicked.sessions,
        y=clicked.x - clicked.y,
        x=clicked.x,
        y_y=clicked.x_x - 2 * clicked.y_x + clicked.y_y,
        x_x=clicked.x_x,
        y_x=clicked.x_x - clicked.y_x,
    )
    return ratio(without)


def _conversion_rate(counts: Counts) -> Estimate:
    if counts.searches and not counts.conversions_logged:
        return Estimate.undefined(NOT_LOGGED, n=counts.searches)
    return _rate(counts, "conversion_rate")
