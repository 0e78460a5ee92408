"""What users did by day, by hour, and by query, as `goldsmith report --by` shows it."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any, Literal, TypeAlias

from estimates import Estimate
from online.engines import Choice, choose_queries, fetch
from online.lake import Connection, Lake
from online.metrics import Counts, Moments, OnlineMetrics, online_metrics
from online.report import choice_of, chosen_counts, counts_of, report_on

By: TypeAlias = Literal["day", "hour", "query"]
BUSIEST = 100
"""How many queries are told, unless more are asked for."""
QUERY_METRICS = ("ctr", "click_mrr", "first_click_mrr", "zero_result_rate")

FEWEST_SESSIONS, FEWEST_EACH = 10, 5
TOO_FEW = "too_few_for_an_interval"


def report_by(
    lake: Lake,
    by: By,
    *,
    start: date | None = None,
    end: date | None = None,
    model: str | None = None,
    most: int = BUSIEST,
) -> dict[str, Any]:
    """The report of `report`, and beside it the same metrics by UTC day, UTC hour, or query.

    A session that goes on past midnight, or that asks two queries, counts in both. Queries are one
    if they differ only in case, in white space, or in how Unicode composes their letters (NFC).

    Args:
        lake: The events.
        by: What the searches are parted by.
        start: First UTC day; None from the first.
        end: Last UTC day, itself included; None to the last.
        model: Only this model version; None all.
        most: How many queries, those with the most searches.

    Returns:
        As `report`, and one of
        "by_day": {"2026-11-30": M}, "by_hour": {"2026-11-30T12:00Z": M}, in the order of time and
        without days and hours that have no searches;
        "by_query": [Q], most searches first, and "queries", how many there are in all. Q holds
        "query" (normalised), "spellings" (how many became that one), "searches", "sessions",
        `QUERY_METRICS`, "intervals", "reasons" and "interval_reasons", as M does.
        Intervals are those of `report`, but only where `holds` says so.

    Raises:
        OnlineError: `start` is after `end`, or the lake is damaged.
    """
    choice = choice_of(start, end, model)
    with lake.connect() as connection:
        whole = report_on(connection, choice)
        if by == "query":
            return whole | _by_query(connection, choice, most)
        parts = counts_of(connection, choice, by)
    if by == "hour":
        parts = {_hour(key): counts for key, counts in parts.items()}
    documents = {key: careful_metrics(parts[key]).as_json() for key in sorted(parts)}
    return whole | {f"by_{by}": documents}


def _hour(seconds_since_1970: str) -> str:
    begun = datetime.fromtimestamp(int(seconds_since_1970), UTC)
    return begun.strftime("%Y-%m-%dT%H:00Z")


def _by_query(connection: Connection, choice: Choice, most: int) -> dict[str, Any]:
    choose_queries(connection, choice, most)
    counts = chosen_counts(connection)
    busiest = fetch(connection, "busiest")
    rows = [
        _query_row(row["group_key"], row["spellings"], careful_metrics(counts[row["group_key"]]))
        for row in busiest
    ]
    return {"by_query": rows, "queries": busiest[0]["queries"] if busiest else 0}


def _query_row(query: str, spellings: int, metrics: OnlineMetrics) -> dict[str, Any]:
    document: dict[str, Any] = metrics.as_json()
    row = {"query": query, "spellings": spellings}
    row |= {name: document[name] for name in ("searches", "sessions", *QUERY_METRICS)}
    for told in ("intervals", "reasons", "interval_reasons"):
        row[told] = {name: document[told][name] for name in QUERY_METRICS if name in document[told]}
    return row


def careful_metrics(counts: Counts) -> OnlineMetrics:
    """The metrics of a group that may be small: without the intervals that would not hold."""
    metrics = online_metrics(counts)
    sums = counts.moments
    beside = {"no_click_rate": sums.get("ctr"), "first_click_mrr": sums.get("click_mrr")}
    checked = {
        name: _checked(estimate, sums.get(name) or beside.get(name))
        for name, estimate in metrics.estimates.items()
    }
    return replace(metrics, estimates=checked)


def _checked(estimate: Estimate, moments: Moments | None) -> Estimate:
    if estimate.low is None or moments is None or holds(moments):
        return estimate
    return Estimate(estimate.value, n=estimate.n, reason=TOO_FEW)


def holds(moments: Moments) -> bool:
    """Whether the interval of `ratio` covers what it promises.

    From 10 sessions on, if at least 5 searches speak for and 5 against (in click-MRR: if the
    reciprocal ranks sum up to 5 and stay 5 below the searches), 93 to 99 % of the intervals hold
    the truth; without these conditions it may be under 60 % (simulated, tests/online).
    """
    least = min(moments.y, moments.x - moments.y)
    return moments.sessions >= FEWEST_SESSIONS and least >= FEWEST_EACH
