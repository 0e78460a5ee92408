"""What the counts of a log say: click-through rate, click-MRR and their kin; pure.

A *search* is one submitted query with its result list. Rates are ratios of sums over sessions, and
their intervals are clustered by session: the searches of one visit are not independent (an A/A test
that takes them so cries wolf in a quarter of the cases).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from estimates import Estimate

NO_SEARCHES = "no_searches"
NO_CLICKS = "no_ranked_clicks"
NOT_LOGGED = "not_logged"
ONE_SESSION = "one_session_has_no_interval"
NO_VARIATION = "no_variation_between_sessions"
RESULTS_UNKNOWN = "results_not_logged"
NO_DWELL = "no_clicked_search_with_a_dwell_time"
NO_TIMED_CLICK = "no_click_with_a_time"
NO_SESSIONS_LOGGED = "no_session_can_hold_two_searches"
NOT_ASKED = "not_asked"
TOO_FEW_FOR_A_MEDIAN = "too_few_for_an_interval"
CONFIDENCE = 0.95
TOP_RANKS = (1, 3, 5, 10)
"""The k of CTR@k."""
LONG_DWELL_S = 30
FEWEST_FOR_A_MEDIAN = 10
CTR_AT = {k: f"ctr_at_{k}" for k in TOP_RANKS}


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
class Median:
    """What a median and its interval follow from.

    Attributes:
        quantiles: Share -> quantile (between two values, in proportion), with .5 among the shares.
        below: Sums over sessions: y values under the median, x values.
        up_to: Sums over sessions: y values not above the median, x values.
    """

    quantiles: Mapping[float, float]
    below: Moments
    up_to: Moments


@dataclass(frozen=True, slots=True)
class Counts:
    """The sufficient statistics of a group of searches; integers but for quantiles and squares.

    Attributes:
        searches: Searches.
        best_ranks: Rank of the best-ranked click -> searches.
        click_ranks: Rank -> clicks, all of them; None is a click whose rank was not logged.
        clicked_without_rank: Searches whose clicks all have no rank; their reciprocal rank is 0.
        moments: Metric -> its sums over sessions.
        first_ranks: Rank of the first click in time -> searches; None where it is in all of them
            the rank of the best-ranked click.
        logged: What the logs of its models know, of `online.knowing.THINGS`: a group without a
            conversion has a conversion rate of 0 where conversions are among these, else None.
        medians: "median_dwell_s", "median_first_click_s" -> what they follow from, where logged.
        sessions_made_up: Sessions that the log does not name.
        users: Users; None where no search names one.
        searches_without_user: Searches that name no user.
        bot_searches: Searches of the sessions that the lake's rules take for bots, whether or not
            they are among `searches`.
        conversion_value: Sum of the values of conversions; None where none was logged.
        values_left_out: Searches whose value is no amount of anything (1e15 or more).
    """

    searches: int = 0
    best_ranks: Mapping[int, int] = field(default_factory=dict)
    click_ranks: Mapping[int | None, int] = field(default_factory=dict)
    clicked_without_rank: int = 0
    moments: Mapping[str, Moments] = field(default_factory=dict)
    logged: frozenset[str] = frozenset()
    first_ranks: Mapping[int, int] | None = None
    medians: Mapping[str, Median] = field(default_factory=dict)
    sessions_made_up: int = 0
    users: int | None = None
    searches_without_user: int = 0
    bot_searches: int = 0
    conversion_value: float | None = None
    values_left_out: int = 0


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
        estimates: Metric -> estimate, those of `online_metrics`; rates in [0, 1], times in seconds.
        counts: What they were computed from.
    """

    searches: int
    sessions: int
    clicks: int
    clicks_by_rank: Mapping[int, int]
    clicks_without_rank: int
    searches_without_rank: int
    estimates: Mapping[str, Estimate]
    counts: Counts

    def as_json(self) -> dict[str, object]:
        """The document M of `report --json`: values, `intervals`, and `reasons` of what is null.

        `interval_reasons` says why a value has no interval, `n` of how many searches, clicks or
        times it is. CTR@k stands under `ctr_at`, its n, interval and reason under "ctr_at_1" and
        so on.
        """
        estimates, counts = self.estimates, self.counts
        values = {name: estimate.value for name, estimate in estimates.items()}
        return {
            "searches": self.searches,
            "sessions": self.sessions,
            "sessions_made_up": counts.sessions_made_up,
            "users": counts.users,
            "searches_without_user": counts.searches_without_user,
            "bot_searches": counts.bot_searches,
            "clicks": self.clicks,
            **{name: value for name, value in values.items() if name not in CTR_AT.values()},
            "ctr_at": {str(k): values[name] for k, name in CTR_AT.items()},
            "conversion_value": counts.conversion_value,
            "conversion_values_left_out": counts.values_left_out,
            "results_unknown": self.results_unknown,
            "clicks_by_rank": {str(rank): n for rank, n in self.clicks_by_rank.items()},
            "clicks_without_rank": self.clicks_without_rank,
            "searches_without_rank": self.searches_without_rank,
            "n": {name: e.n for name, e in estimates.items() if e.value is not None},
            "intervals": {
                name: [estimate.low, estimate.high]
                for name, estimate in estimates.items()
                if estimate.low is not None
            },
            "reasons": self._reasons(),
            "interval_reasons": {
                name: estimate.reason
                for name, estimate in estimates.items()
                if estimate.value is not None and estimate.low is None
            },
        }

    @property
    def results_unknown(self) -> int:
        """Searches of which the log does not tell the results."""
        known = self.counts.moments.get("zero_result_rate")
        return self.searches - int(known.x) if known else 0

    def _reasons(self) -> dict[str, str | None]:
        reasons = {name: e.reason for name, e in self.estimates.items() if e.value is None}
        absent = NOT_LOGGED if self.searches else NO_SEARCHES
        for name in ("users", "conversion_value"):
            if getattr(self.counts, name) is None:
                reasons[name] = absent
        return reasons


def online_metrics(counts: Counts) -> OnlineMetrics:
    """All metrics of a group of searches; what cannot be computed is None with a reason.

    ctr = searches with a click / searches. click_mrr = mean over searches of 1 / rank of the
    best-ranked click, 0 without a click or without a rank: the "max reciprocal rank" of Radlinski,
    Kurup and Joachims (2008), How does clickthrough data reflect retrieval quality?, section 4.
    first_click_mrr = the same of the click that came first: Voorhees's mean reciprocal rank (1999,
    TREC-8 question answering) with the first click in place of the first answer; a user who clicks
    rank 5 and then 1 counts 1/5 here, and 1 there. no_click_rate = 1 - ctr.
    ctr_at_k = searches whose best-ranked click is at rank k or above / searches: the success at k
    of click logs; a click without a rank counts in none. zero_result_rate = searches without
    results / searches whose results are known. clicks_at_1_2 = clicks at rank 1 or 2 / clicks with
    a rank. conversion_rate = searches with a conversion / searches.
    conversion_value_per_search = sum of the values of conversions / searches. Both are 0 in a group
    without conversions, and None ("not_logged") where no log of its models tells any (`logged`).

    dwell_over_30_s = clicked searches whose longest dwell is over 30 s / clicked searches with a
    dwell: a satisfied click by Fox, Karnawat, Mydland, Dumais and White (2005), Evaluating implicit
    measures to improve web search; Kim, Hassan, White and Zitouni (2014), Modeling dwell time to
    predict click-level satisfaction, say how far one bound fits all pages. median_dwell_s: of the
    longest dwell of each search. median_first_click_s: of the time from a search to its first
    click, of the searches that were clicked.

    reformulation_rate = searches after which the same session searches for something else within 5
    minutes, without a click before / searches in sessions that can hold several. Hassan, Shi,
    Craswell and Ramsey (2013), Beyond clicks: query reformulation as a predictor of search
    satisfaction, find that a similar query within such a time tells dissatisfaction; we take any
    other query (not only a similar one), so that it is an upper bound of theirs.
    """
    by_rank = {rank: n for rank, n in counts.click_ranks.items() if rank is not None}
    return OnlineMetrics(
        searches=counts.searches,
        sessions=counts.moments["ctr"].sessions if "ctr" in counts.moments else 0,
        clicks=sum(counts.click_ranks.values()),
        clicks_by_rank=dict(sorted(by_rank.items())),
        clicks_without_rank=counts.click_ranks.get(None, 0),
        searches_without_rank=counts.clicked_without_rank,
        estimates=_estimates(counts),
        counts=counts,
    )


def _estimates(counts: Counts) -> dict[str, Estimate]:
    dwell = _absent(counts, "dwells", NO_DWELL)
    return {
        "ctr": _rate(counts, "ctr"),
        "click_mrr": _click_mrr(counts, "click_mrr", counts.best_ranks),
        "first_click_mrr": _first_click_mrr(counts),
        "no_click_rate": _no_click_rate(counts),
        "zero_result_rate": _rate(
            counts, "zero_result_rate", RESULTS_UNKNOWN if counts.searches else NO_SEARCHES
        ),
        "clicks_at_1_2": _rate(counts, "clicks_at_1_2", NO_CLICKS),
        "median_dwell_s": _median(counts, "median_dwell_s", dwell),
        "conversion_rate": _conversion_rate(counts),
        **{name: _rate(counts, name) for name in CTR_AT.values()},
        "dwell_over_30_s": _rate(counts, "dwell_over_30_s", NO_DWELL, dwell),
        "median_first_click_s": _median(
            counts, "median_first_click_s", _absent(counts, "first_clicks", NO_TIMED_CLICK)
        ),
        "conversion_value_per_search": _value_per_search(counts),
        "reformulation_rate": _rate(
            counts,
            "reformulation_rate",
            NO_SESSIONS_LOGGED if counts.searches else NO_SEARCHES,
            NOT_ASKED if counts.searches else NO_SEARCHES,
        ),
    }


def ratio(
    moments: Moments, undefined: str = NO_SEARCHES, *, low: float = 0.0, high: float = 1.0
) -> Estimate:
    """R = sum(y) / sum(x) with its 95 % interval clustered by session, clipped to [low, high].

    Delta method: Var(R) = k / (k - 1) * (sum(y^2) - 2 R sum(xy) + R^2 sum(x^2)) / sum(x)^2 over k
    sessions; the quantile is Student's with k - 1 degrees of freedom. Deng, Knoblich and Lu (2018),
    Applying the delta method in metric analytics, section 3.

    Args:
        moments: Sums over sessions.
        undefined: The reason where sum(x) is 0.
        low: The smallest value that R can take.
        high: The largest value that R can take.

    Returns:
        The estimate, n = sum(x); without an interval for one session, or where all sessions agree
        (an interval of no width would claim certainty).
    """
    if moments.x == 0:
        return Estimate.undefined(undefined)
    value, k, n = moments.y / moments.x, moments.sessions, int(moments.x)
    if k < 2:
        return Estimate(value, n=n, reason=ONE_SESSION)
    half = _half_width(moments)
    if not half:
        return Estimate(value, n=n, reason=NO_VARIATION)
    return Estimate(value, low=max(low, value - half), high=min(high, value + half), n=n)


def median(counts: Median) -> Estimate:
    """The median with its 95 % interval clustered by session.

    Woodruff (1952), Confidence intervals for medians and other position measures: the share of
    values up to the median has an interval .5 -+ h by the delta method of `ratio`, and the
    quantiles at .5 - h and .5 + h are the ends; those of the next share outwards among
    `quantiles`. Where many values equal the median, the larger h of the shares under and up to it.
    No interval for fewer than 10 sessions, where h leads outside of the shares, or where all agree.
    """
    value, n, k = counts.quantiles[0.5], int(counts.up_to.x), counts.up_to.sessions
    if k < FEWEST_FOR_A_MEDIAN:
        return Estimate(value, n=n, reason=TOO_FEW_FOR_A_MEDIAN)
    half = max(_half_width(counts.below), _half_width(counts.up_to))
    if not half:
        return Estimate(value, n=n, reason=NO_VARIATION)
    under = [share for share in counts.quantiles if share <= 0.5 - half]
    over = [share for share in counts.quantiles if share >= 0.5 + half]
    if not under or not over:
        return Estimate(value, n=n, reason=TOO_FEW_FOR_A_MEDIAN)
    low, high = counts.quantiles[max(under)], counts.quantiles[min(over)]
    return Estimate(value, low=low, high=high, n=n)


def _half_width(moments: Moments) -> float:
    """Of the 95 % interval of sum(y) / sum(x); 0 where all sessions agree."""
    value, k = moments.y / moments.x, moments.sessions
    spread = moments.y_y - 2 * value * moments.y_x + value * value * moments.x_x
    if spread <= 1e-9 * max(moments.y_y, 1.0):
        return 0.0
    from scipy.special import stdtrit

    error = math.sqrt(k / (k - 1) * spread) / moments.x
    return float(stdtrit(k - 1, (1 + CONFIDENCE) / 2)) * error


def _absent(counts: Counts, thing: str = "", none_of_it: str = NOT_LOGGED) -> str:
    """Why a metric has no sums: the log does not know the thing, or these searches have none."""
    if not counts.searches:
        return NO_SEARCHES
    return none_of_it if thing in counts.logged else NOT_LOGGED


def _rate(
    counts: Counts, name: str, undefined: str = NO_SEARCHES, absent: str | None = None
) -> Estimate:
    moments = counts.moments.get(name)
    if moments is None:
        return Estimate.undefined(absent or undefined, n=0)
    return ratio(moments, undefined)


def _median(counts: Counts, name: str, absent: str) -> Estimate:
    found = counts.medians.get(name)
    return median(found) if found else Estimate.undefined(absent if counts.searches else NOT_LOGGED)


def _value_per_search(counts: Counts) -> Estimate:
    moments = counts.moments.get("conversion_value_per_search")
    if moments is None:
        return Estimate.undefined(_absent(counts))
    found = ratio(moments, low=-math.inf, high=math.inf)
    if counts.conversion_value is None or not counts.searches:
        return found
    # The sum of exact values, where moments are sums of fractions in any order.
    return replace(found, value=counts.conversion_value / counts.searches)


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
    if counts.searches and "conversions" not in counts.logged:
        return Estimate.undefined(NOT_LOGGED, n=counts.searches)
    return _rate(counts, "conversion_rate")
