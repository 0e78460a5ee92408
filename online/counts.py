"""The sufficient statistics of groups of searches: the engine fetches them, nothing is computed.

What only some logs know (users, dwell, values, times of clicks) is asked for only where there is
some of it: a log that knows none of these is read four times for each report.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from online.engines import (
    SHARES,
    Choice,
    Grouping,
    Measure,
    Pair,
    choose,
    choose_measure,
    choose_pair,
    fetch,
    fetch_quantiles,
    has_bots,
)
from online.following import choose_followed
from online.knowing import known_in_groups, what_logs_know
from online.lake import Connection
from online.metrics import CTR_AT, Counts, Median, Moments

PARTS = 2520
"""Reciprocal ranks are counted in parts of 1/2520, the least common multiple of 1 to 10."""
FIRST_ELSEWHERE = "first_click_elsewhere"
NONE_SUMMED = Moments(0, 0.0, 0.0, 0.0, 0.0, 0.0)
R = TypeVar("R")


def counts_of(
    connection: Connection, choice: Choice, grouping: Grouping, *, reformulation: bool = True
) -> dict[str, Counts]:
    """group_key -> its sufficient statistics; of those of `choose`.

    Args:
        connection: Of `Lake.connect`.
        choice: Which events count.
        grouping: What parts them.
        reformulation: Whether to look for reformulations too, which doubles the time.
    """
    followed = _reformulated(connection, choice, grouping) if reformulation else None
    knowledge = what_logs_know(connection, choice)
    choose(connection, choice, grouping)
    counts = chosen_counts(connection)
    logged = known_in_groups(connection, knowledge, counts)
    counts = {group: replace(part, logged=logged[group]) for group, part in counts.items()}
    counts = _with_rare(connection, counts, users=knowledge.users)
    if followed is not None:
        counts = _with_moments(counts, "reformulation_rate", followed, NONE_SUMMED)
    return _with_bots(connection, choice, grouping, counts)


def overall_counts(
    connection: Connection,
    choice: Choice,
    by_model: Mapping[str, Counts],
    *,
    reformulation: bool = True,
) -> Counts:
    """The statistics of all models together; only what cannot be added up is fetched anew.

    A session that saw several models is one session, so sums over sessions are no sums over models.
    """
    if len(by_model) < 2:
        return next(iter(by_model.values()), Counts())
    if not any(counts.searches for counts in by_model.values()):
        return Counts(bot_searches=sum(counts.bot_searches for counts in by_model.values()))
    followed = _reformulated(connection, choice, "all") if reformulation else None
    choose(connection, choice, "all")
    row = fetch(connection, "session_moments")[0]
    elsewhere = sum(counts.first_ranks is not None for counts in by_model.values())
    first = _first_clicks(connection, elsewhere)
    parts = list(by_model.values())
    counts = Counts(
        searches=sum(part.searches for part in parts),
        best_ranks=_added(part.best_ranks for part in parts),
        click_ranks=_added(part.click_ranks for part in parts),
        clicked_without_rank=sum(part.clicked_without_rank for part in parts),
        moments=moments_of(row) | first.moments.get("", {}),
        logged=frozenset().union(*(part.logged for part in parts)),
        first_ranks=first.ranks.get(""),
        sessions_made_up=int(row["sessions_made_up"]),
        bot_searches=sum(part.bot_searches for part in parts),
    )
    users = any(part.users is not None for part in parts)
    whole = _with_rare(connection, {"": counts}, users=users)
    if followed is not None:
        whole = _with_moments(whole, "reformulation_rate", followed, NONE_SUMMED)
    return whole[""]


def chosen_counts(connection: Connection) -> dict[str, Counts]:
    """group_key -> what every log knows of what was chosen last."""
    headline = _by_group(fetch(connection, "headline"))
    clicks = _by_group(fetch(connection, "click_ranks"))
    sums = {row["group_key"]: row for row in fetch(connection, "session_moments")}
    first = _first_clicks(connection, sum(_sum(r, FIRST_ELSEWHERE) for r in headline.values()))
    return {
        group: Counts(
            searches=_sum(rows, "searches"),
            best_ranks={r["best_click_rank"]: r["searches"] for r in rows if r["best_click_rank"]},
            click_ranks={row["click_rank"]: row["clicks"] for row in clicks.get(group, ())},
            clicked_without_rank=_sum(rows, "clicked_without_rank"),
            moments=moments_of(sums[group]) | first.moments.get(group, {}),
            first_ranks=first.ranks.get(group),
            sessions_made_up=int(sums[group]["sessions_made_up"]),
        )
        for group, rows in headline.items()
    }


def moments_of(row: Mapping[str, Any]) -> dict[str, Moments]:
    """Metric -> its sums over units, of a row of `session_moments`; reciprocal ranks in ones."""
    sums = _in_ones(row)
    return {
        "ctr": _moments(sums, "clicked"),
        "click_mrr": _moments(sums, "reciprocal"),
        "zero_result_rate": _moments(sums, "empty", "known"),
        "conversion_rate": _moments(sums, "converted"),
        "clicks_at_1_2": _moments(sums, "top", "ranked"),
        **{name: _moments(sums, f"at_{k}") for k, name in CTR_AT.items()},
    }


def _with_rare(
    connection: Connection, counts: dict[str, Counts], *, users: bool
) -> dict[str, Counts]:
    """With what only some logs know (`users`: of them), over what was chosen last."""
    logged = frozenset().union(*(part.logged for part in counts.values()))
    if "dwells" in logged:
        counts = _with_pair(connection, counts, "dwell_over_30_s")
        counts = _with_median(connection, counts, "median_dwell_s")
    if "first_clicks" in logged:
        counts = _with_median(connection, counts, "median_first_click_s")
    if "conversion_values" in logged:
        counts = _with_values(connection, counts)
    return _with_users(connection, counts, logged=users)


def _with_values(connection: Connection, counts: dict[str, Counts]) -> dict[str, Counts]:
    """In the groups whose log knows values: nothing was sold there, where there are none."""
    knowing = {g: part for g, part in counts.items() if "conversion_values" in part.logged}
    knowing = _with_pair(connection, knowing, "conversion_value_per_search")
    found = {row.pop("group_key"): row for row in fetch(connection, "conversion_values")}
    for row in found.values():
        value = row["conversion_value"]
        row["conversion_value"] = None if value is None else float(value)
    nothing = {"conversion_value": 0.0}
    knowing = {group: replace(part, **found.get(group, nothing)) for group, part in knowing.items()}
    return counts | knowing


def _with_users(
    connection: Connection, counts: dict[str, Counts], *, logged: bool
) -> dict[str, Counts]:
    if not logged:
        return {g: replace(p, searches_without_user=p.searches) for g, p in counts.items()}
    users = {row.pop("group_key"): row for row in fetch(connection, "users")}
    for row in users.values():
        row["users"] = row["users"] or None
    return {group: replace(part, **users[group]) for group, part in counts.items()}


def _with_pair(connection: Connection, counts: dict[str, Counts], pair: Pair) -> dict[str, Counts]:
    return _with_moments(counts, pair, _pair(connection, pair))


def _with_moments(
    counts: dict[str, Counts],
    name: str,
    found: Mapping[str, Moments],
    otherwise: Moments | None = None,
) -> dict[str, Counts]:
    """With the sums of one more metric; groups that have none get `otherwise`, if that is given."""
    sums = {group: found.get(group, otherwise) for group in counts}
    return {
        group: replace(part, moments={**part.moments, name: of_group})
        if (of_group := sums[group])
        else part
        for group, part in counts.items()
    }


def _with_median(
    connection: Connection, counts: dict[str, Counts], measure: Measure
) -> dict[str, Counts]:
    choose_measure(connection, measure)
    quantiles = fetch_quantiles(connection)
    found = {
        row["group_key"]: _median(row, quantiles[row["group_key"]])
        for row in fetch(connection, "median_moments")
    }
    return {
        group: replace(part, medians={**part.medians, measure: found[group]})
        if group in found
        else part
        for group, part in counts.items()
    }


def _median(row: Mapping[str, Any], quantiles: Iterable[float]) -> Median:
    sums = {name: float(n) for name, n in row.items() if name != "group_key"}
    return Median(
        dict(zip(SHARES, quantiles, strict=True)),
        _moments(sums, "below", "x"),
        _moments(sums, "up_to", "x"),
    )


def _pair(connection: Connection, pair: Pair) -> dict[str, Moments]:
    choose_pair(connection, pair)
    return _fetch_pairs(connection)


def _reformulated(connection: Connection, choice: Choice, grouping: Grouping) -> dict[str, Moments]:
    choose_followed(connection, choice, grouping)
    return _fetch_pairs(connection)


def _fetch_pairs(connection: Connection) -> dict[str, Moments]:
    return {
        row["group_key"]: Moments(
            int(row["sessions"]), *(float(row[name]) for name in ("y", "x", "y_y", "x_x", "y_x"))
        )
        for row in fetch(connection, "pair_moments")
    }


def _with_bots(
    connection: Connection, choice: Choice, grouping: Grouping, counts: dict[str, Counts]
) -> dict[str, Counts]:
    """With how many searches the bots made, whether these are left out or not."""
    if not has_bots(connection):
        return counts
    if choice.without_bots:
        choose(connection, replace(choice, without_bots=False), grouping)
    found = {row["group_key"]: row["searches"] for row in fetch(connection, "bot_searches")}
    return {
        group: replace(counts.get(group, Counts()), bot_searches=found.get(group, 0))
        for group in counts.keys() | found.keys()
    }


@dataclass(frozen=True, slots=True)
class _FirstClicks:
    """Of each group: ranks of the first click in time -> searches, and their sums over sessions."""

    ranks: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    moments: Mapping[str, dict[str, Moments]] = field(default_factory=dict)


def _first_clicks(connection: Connection, elsewhere: int) -> _FirstClicks:
    """Fetched only where a first click is not the best-ranked one: most logs know no such."""
    if not elsewhere:
        return _FirstClicks()
    moments = _pair(connection, "first_click_mrr")
    ranks = _by_group(fetch(connection, "first_click_ranks"))
    return _FirstClicks(
        ranks={
            group: {r["first_click_rank"]: r["searches"] for r in ranks.get(group, ())}
            for group in moments
        },
        moments={
            group: {
                "first_click_mrr": replace(
                    sums, y=sums.y / PARTS, y_y=sums.y_y / PARTS**2, y_x=sums.y_x / PARTS
                )
            }
            for group, sums in moments.items()
        },
    )


def _by_group(rows: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["group_key"], []).append(row)
    return groups


def _sum(rows: Iterable[Mapping[str, Any]], column: str) -> int:
    return sum(int(row[column]) for row in rows)


def _added(histograms: Iterable[Mapping[R, int]]) -> dict[R, int]:
    total: Counter[R] = Counter()
    for histogram in histograms:
        total.update(histogram)
    return dict(total)


def _in_ones(row: Mapping[str, Any]) -> dict[str, float]:
    """The sums of a row, reciprocal ranks in ones instead of parts."""
    sums = {name: float(number) for name, number in row.items() if name != "group_key"}
    sums["reciprocal"] /= PARTS
    sums["reciprocal_n"] /= PARTS
    sums["reciprocal_reciprocal"] /= PARTS**2
    return sums


def _moments(sums: Mapping[str, float], y: str, x: str = "n") -> Moments:
    return Moments(
        sessions=int(sums["sessions"]),
        y=sums[y],
        x=sums[x],
        y_y=sums[f"{y}_{y}"],
        x_x=sums[f"{x}_{x}"],
        y_x=sums[f"{y}_{x}"],
    )
