"""The queries of a log: the busiest, the worst, the best, those that find or change something."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

from estimates import holm
from online.abtest import Difference, difference
from online.counts import chosen_counts
from online.engines import Choice, make
from online.events import OnlineError
from online.lake import Connection, Lake
from online.metrics import Counts, Moments
from online.query_engine import (
    choose_shown,
    count_queries,
    count_shown,
    keep_queries,
    show_queries,
)
from online.slices import FEWEST_SESSIONS, careful_metrics

Kind: TypeAlias = Literal["busiest", "worst", "best", "zero-results", "no-clicks", "changed"]
KINDS: tuple[Kind, ...] = get_args(Kind)
QUERY_METRICS = ("ctr", "click_mrr", "first_click_mrr", "zero_result_rate")
COMPARED = ("ctr", "click_mrr")
MOST = 50
"""How many queries are told, unless more are asked for."""
FEWEST_TO_COMPARE = 20
LARGEST_FAMILY = 1000
"""How many queries are tested for a change at most, those with the most searches in both."""
Z = 1.959963984540054
"""The standard normal's .975 quantile."""
Row: TypeAlias = dict[str, Any]


def query_table(
    lake: Lake,
    choice: Choice,
    kind: Kind,
    against: Choice | None = None,
    most: int = MOST,
) -> dict[str, Any]:
    """The first queries of one kind.

    Queries are one if they differ only in case, in white space, or in how Unicode composes their
    letters (NFC). The kinds, and what comes first:

    * busiest: the most searches.
    * worst: the lowest upper bound of CTR, so that 0 clicks of 3 searches are no proof; best: the
      highest lower bound. Both bounds are Wilson's (see `estimates.wilson`), of as many searches
      as there would be if each session spoke with one voice: n^2 / sum of the squares of searches
      a session (Kish 1965). Only queries of 10 sessions or more.
    * zero-results: the most searches without results.
    * no-clicks: the most clicked searches lacking, by the CTR of all queries together: n * CTR -
      clicked searches. So much traffic with few clicks comes before little traffic with none.
    * changed: the surest change of CTR or click-MRR since `against`, by its p-value.

    Args:
        lake: The events.
        choice: Which of them count.
        kind: Which queries.
        against: For "changed": what the choice is compared with, such as the days before it.
        most: How many queries.

    Returns:
        "sort": the kind; "by_query": [Q]; "queries" and "searches": how many there are in all;
        "eligible": how many queries are of the kind (for worst and best, those of 10 searches or
        more). Q holds "query" (normalised), "spellings" (how many became that one), "searches",
        "sessions", `QUERY_METRICS`, "intervals", "reasons" and "interval_reasons", as M of the
        report does; and of its kind "ctr_bound", "searches_without_results" or "clicks_lacking".
        For "changed": see `changes_on`.

    Raises:
        OnlineError: `against` is missing, or overlaps with the choice; or the lake is damaged.
    """
    with lake.connect() as connection:
        return query_table_on(connection, choice, kind, against, most)


def query_table_on(
    connection: Connection, choice: Choice, kind: Kind, against: Choice | None, most: int
) -> dict[str, Any]:
    """The table of `query_table` over a connection that is open already."""
    if kind == "changed":
        return changes_on(connection, choice, against, most)
    totals = count_queries(connection, choice)
    if kind in ("worst", "best"):
        found = _by_bound(connection, choice, kind, most)
    else:
        found = _by_count(connection, choice, kind, totals, most)
    told = {"queries": totals["queries"], "searches": totals["searches"]}
    return {"sort": kind} | found | told


def changes_on(
    connection: Connection, choice: Choice, against: Choice | None, most: int
) -> dict[str, Any]:
    """Which queries changed, came and went between two choices, such as two periods.

    Tested are the queries with 20 searches or more in both, at most 1,000 of them: those with the
    most in the poorer one, which says nothing about the change, so that the p-values of all these
    tests (CTR and click-MRR of each) can be corrected together (Holm).

    Returns:
        "sort": "changed"; "by_query": [C], the smallest p-value first; "tested": how many queries
        were; "eligible": how many could be; "new" and "vanished": {"queries": how many there are,
        "by_query": [Q of `query_table`], most searches first}; "queries", "searches" and
        "queries_before", "searches_before": how many there are in all. C holds "query",
        "spellings"; "searches", "sessions", `COMPARED` and the same with "_before"; and
        "differences": {metric: {"value", "low", "high", "p_value", "p_holm", "reason"}}, the
        choice minus `against`, as `abtest.difference`.

    Raises:
        OnlineError: `against` is missing, or overlaps with the choice.
    """
    if against is None:
        raise OnlineError("there is nothing to compare with", hint="Name the days before it.")
    _check_apart(choice, against)
    before = count_queries(connection, against)
    keep_queries(connection, "before")
    now = count_queries(connection, choice)
    make(connection, "queries_in_both", "queries_in_both")
    both = f"queries_in_both WHERE fewer >= {FEWEST_TO_COMPARE}"
    family = show_queries(connection, both, "fewer DESC", LARGEST_FAMILY)
    counts = _counts(connection, choice), _counts(connection, against, "spellings_before")
    told = {
        "sort": "changed",
        "by_query": _changes(family, *counts)[:most],
        "tested": len(family),
        "eligible": count_shown(connection, both),
        "new": _only_in(connection, choice, ("", "_before"), most),
        "vanished": _only_in(connection, against, ("_before", ""), most),
    }
    for name in ("queries", "searches"):
        told |= {name: now[name], f"{name}_before": before[name]}
    return told


def _check_apart(choice: Choice, against: Choice) -> None:
    """Events that stand on both sides would make any difference look smaller than it is."""
    if choice.model != against.model and None not in (choice.model, against.model):
        return
    apart = (_is_before(choice, against), _is_before(against, choice))
    if not any(apart):
        raise OnlineError(
            "the two periods overlap, or one of them has no bounds",
            hint="Name the days of both, such as --from 2026-11-08 --to 2026-11-14 "
            "--against 2026-11-01:2026-11-07.",
        )


def _is_before(one: Choice, other: Choice) -> bool:
    return one.end is not None and other.start is not None and one.end < other.start


def _changes(
    family: Sequence[Row], now: Mapping[str, Counts], before: Mapping[str, Counts]
) -> list[Row]:
    """The rows of all that were tested, the smallest p-value first."""
    found = {
        (row["group_key"], name): difference(
            _moments(before[row["group_key"]], name), _moments(now[row["group_key"]], name)
        )
        for row in family
        for name in COMPARED
    }
    adjusted = holm([d.p_value for d in found.values()])
    tested = {
        key: replace(d, p_holm=p) for (key, d), p in zip(found.items(), adjusted, strict=True)
    }
    rows = []
    for row in family:
        query = row["group_key"]
        differences = {name: tested[query, name] for name in COMPARED}
        rows.append(
            (_surest(differences), _change_row(row, now[query], before[query], differences))
        )
    rows.sort(key=lambda pair: (pair[0], -pair[1]["searches"], pair[1]["query"]))
    return [row for _, row in rows]


def _surest(differences: Mapping[str, Difference]) -> float:
    return min((d.p_value for d in differences.values() if d.p_value is not None), default=1.0)


def _moments(counts: Counts, name: str) -> Moments:
    """The sums of a metric; those of click-MRR from the histogram of ranks, exact."""
    moments = counts.moments[name]
    if name != "click_mrr":
        return moments
    return replace(moments, y=math.fsum(n / rank for rank, n in counts.best_ranks.items()))


def _change_row(
    row: Row, now: Counts, before: Counts, differences: Mapping[str, Difference]
) -> Row:
    told: Row = {"query": row["group_key"], "spellings": row["spellings"]}
    for counts, suffix in ((now, ""), (before, "_before")):
        told[f"searches{suffix}"] = counts.searches
        told[f"sessions{suffix}"] = counts.moments["ctr"].sessions
        for name in COMPARED:
            moments = _moments(counts, name)
            told[f"{name}{suffix}"] = moments.y / moments.x
    names = ("value", "low", "high", "p_value", "p_holm", "reason")
    told["differences"] = {
        metric: {name: getattr(found, name) for name in names}
        for metric, found in differences.items()
    }
    return told


def _only_in(
    connection: Connection, choice: Choice, suffixes: tuple[str, str], most: int
) -> dict[str, Any]:
    """The queries of one period that the other has not."""
    here, there = suffixes
    of = f"queries{here} ANTI JOIN queries{there} USING (group_key)"
    shown = show_queries(connection, of, "searches DESC", most)
    counts = _counts(connection, choice, f"spellings{here}")
    rows = [_query_row(row, counts[row["group_key"]]) for row in shown]
    return {"queries": count_shown(connection, of), "by_query": rows}


def _by_count(
    connection: Connection, choice: Choice, kind: Kind, totals: Mapping[str, int], most: int
) -> dict[str, Any]:
    lacking = f"(searches * {totals['clicked']} - clicked * {totals['searches']})"
    conditions = {"busiest": "TRUE", "zero-results": "empty > 0", "no-clicks": f"{lacking} > 0"}
    orders = {"busiest": "searches", "zero-results": "empty", "no-clicks": lacking}
    of = f"queries WHERE {conditions[kind]}"
    shown = show_queries(connection, of, f"{orders[kind]} DESC", most)
    counts = _counts(connection, choice)
    rows = []
    for row in shown:
        told = _query_row(row, counts[row["group_key"]])
        if kind == "zero-results":
            told["searches_without_results"] = row["empty"]
        if kind == "no-clicks":
            expected = row["searches"] * totals["clicked"] / totals["searches"]
            told["clicks_lacking"] = expected - row["clicked"]
        rows.append(told)
    return {"by_query": rows, "eligible": count_shown(connection, of)}


def _by_bound(connection: Connection, choice: Choice, kind: Kind, most: int) -> dict[str, Any]:
    """By a bound that needs the sessions of a query, which only candidates are asked for.

    The bound by searches instead of sessions, which all queries have, is never behind it. So once
    the last candidate's bound by searches is behind all those found, no other query can be better.
    """
    of = f"queries WHERE searches >= {FEWEST_SESSIONS}"
    eligible = count_shown(connection, of)
    sign = 1 if kind == "worst" else -1
    order = _wilson_in_sql(sign) + (" ASC" if kind == "worst" else " DESC")
    candidates = 4 * most + 100
    while True:
        shown = show_queries(connection, of, order, candidates)
        counts = _counts(connection, choice)
        bounds = {row["group_key"]: _bound(counts[row["group_key"]], sign) for row in shown}
        found = [row for row in shown if bounds[row["group_key"]] is not None]
        found.sort(key=lambda row: (sign * (bounds[row["group_key"]] or 0.0), -row["searches"]))
        if len(shown) == eligible or _settled(found[:most], shown[-1], bounds, sign, most):
            break
        candidates *= 4
    rows = []
    for row in found[:most]:
        told = _query_row(row, counts[row["group_key"]])
        rows.append(told | {"ctr_bound": bounds[row["group_key"]]})
    return {"by_query": rows, "eligible": eligible}


def _settled(
    found: Sequence[Row], last: Row, bounds: Mapping[str, float | None], sign: int, most: int
) -> bool:
    if len(found) < most:
        return False
    worst_found = bounds[found[-1]["group_key"]] or 0.0
    next_at_best = wilson_bound(last["clicked"] / last["searches"], last["searches"], sign)
    return sign * worst_found <= sign * next_at_best


def _bound(counts: Counts, sign: int) -> float | None:
    """The bound of CTR by sessions; None where there are too few."""
    clicked = counts.moments["ctr"]
    if clicked.sessions < FEWEST_SESSIONS:
        return None
    return wilson_bound(clicked.y / clicked.x, clicked.x**2 / clicked.x_x, sign)


def wilson_bound(share: float, n: float, sign: int) -> float:
    """The upper (sign 1) or lower (-1) end of Wilson's 95 % interval of a share of n, n > 0."""
    half = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return (share + Z * Z / (2 * n) + sign * half) / (1 + Z * Z / n)


def _wilson_in_sql(sign: int) -> str:
    n, share = "CAST(searches AS DOUBLE)", "(clicked / CAST(searches AS DOUBLE))"
    half = f"{Z} * SQRT({share} * (1 - {share}) / {n} + {Z * Z / 4} / ({n} * {n}))"
    return f"({share} + {Z * Z / 2} / {n} + {sign} * {half}) / (1 + {Z * Z} / {n})"


def _counts(
    connection: Connection, choice: Choice, spellings: str = "spellings"
) -> dict[str, Counts]:
    """Query -> its statistics, of those shown."""
    choose_shown(connection, choice, spellings)
    return chosen_counts(connection)


def _query_row(row: Row, counts: Counts) -> Row:
    document: dict[str, Any] = careful_metrics(counts).as_json()
    told = {"query": row["group_key"], "spellings": row["spellings"]}
    told |= {name: document[name] for name in ("searches", "sessions", *QUERY_METRICS)}
    for beside in ("intervals", "reasons", "interval_reasons"):
        told[beside] = {n: document[beside][n] for n in QUERY_METRICS if n in document[beside]}
    return told
