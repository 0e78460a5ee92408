"""Agreement by tag, by query and by week: where it is low, and whether it gets better."""

from datetime import UTC, datetime
from math import isnan
from typing import Any, Final

import numpy as np

from builder.judging.agreement.coefficients import Floats
from builder.judging.agreement.estimating import FEWEST_PAIRS, Resampling, as_json, estimated
from builder.judging.agreement.sums import STATISTICS, QuerySums, as_sums, sums_by
from builder.judging.agreement.units import Units, counted, without_excluded
from builder.store.ratings import Ratings
from estimates import Estimate

RESAMPLES = 1000
NAMES: Final = ("alpha_ordinal", "percent_agreement")

_DAY: Final = 86_400
_THURSDAY: Final = 3
"""1970-01-01 was a Thursday, three days after a Monday."""


def slices(ratings: Ratings, *, resamples: int = RESAMPLES, seed: int = 0) -> dict[str, Any]:
    """Agreement of parts of the grades, excluded raters left out, ready for strict JSON.

    Args:
        ratings: Grades as columns.
        resamples: How many times the queries of a part are drawn anew.
        seed: Of the random generator.

    Returns:
        Three lists of rows {name, n_judged, n_pairs (graded by two or more), n_queries (of these),
        n_grades, alpha_ordinal, percent_agreement}:
        by_tag: the pairs of queries with the tag, by name; a query with several tags counts in
        each, queries without any are the last row, named None.
        by_query: one query each, without intervals, those with a shared pair first and of them
        those with the lowest percent agreement, then with the lowest alpha.
        by_week: a pair belongs to the ISO week (UTC, "2026-W48") of its last grade; pairs without
        any time are the last row, named None.
    """
    units = counted(without_excluded(ratings))
    by_query = sums_by(units, units.query)
    how = Resampling(resamples, seed)
    return {
        "by_tag": _by_tag(by_query, ratings, how),
        "by_query": _by_query(by_query, ratings),
        "by_week": _by_week(units, ratings, how),
    }


def _row(name: str | None, sums: QuerySums, found: dict[str, Estimate]) -> dict[str, Any]:
    return {
        "name": name,
        "n_judged": int(sums.n_judged.sum()),
        "n_pairs": int(sums.n_pairs.sum()),
        "n_queries": int(np.count_nonzero(sums.n_pairs)),
        "n_grades": int(sums.n_grades.sum()),
        **as_json(found),
    }


def _by_tag(by_query: QuerySums, ratings: Ratings, how: Resampling) -> list[dict[str, Any]]:
    rows_of_tag: dict[str | None, list[int]] = {}
    for row, query in enumerate(by_query.group.tolist()):
        for tag in dict.fromkeys(ratings.tags[query]) or (None,):
            rows_of_tag.setdefault(tag, []).append(row)
    found = []
    for tag in sorted(rows_of_tag, key=lambda tag: (tag is None, tag or "")):
        sums = by_query.take(np.array(rows_of_tag[tag]))
        found.append(_row(tag, sums, estimated(sums, NAMES, how)))
    return found


def _by_query(by_query: QuerySums, ratings: Ratings) -> list[dict[str, Any]]:
    sums = as_sums(by_query.columns, by_query.scale)
    values = {name: STATISTICS[name](sums) for name in NAMES}
    n, of_query = by_query.n_pairs, by_query.group
    order = np.lexsort(
        (of_query, -n, values["alpha_ordinal"], values["percent_agreement"], n < FEWEST_PAIRS)
    )
    return [
        {
            "name": ratings.query_ids[of_query[at]],
            "n_judged": int(by_query.n_judged[at]),
            "n_pairs": int(n[at]),
            "n_queries": int(n[at] > 0),
            "n_grades": int(by_query.n_grades[at]),
            **{name: _of_one_query(values[name], at, int(n[at])).as_json() for name in NAMES},
        }
        for at in order.tolist()
    ]


def _of_one_query(values: Floats, at: int, n: int) -> Estimate:
    if n < FEWEST_PAIRS:
        return Estimate.undefined("too_few_units" if n else "no_pair_graded_by_two", n=n)
    if np.isnan(values[at]):
        return Estimate.undefined("all_grades_equal", n=n)
    return Estimate(float(values[at]), n=n, reason="one_query_has_no_interval")


def _by_week(units: Units, ratings: Ratings, how: Resampling) -> list[dict[str, Any]]:
    n_queries = max(1, len(ratings.query_ids))
    days, week = np.unique(_mondays(units.seconds), return_inverse=True)  # NaN stands last
    by_week_and_query = sums_by(units, week * n_queries + units.query)
    found = []
    for at, monday in enumerate(days.tolist()):
        sums = by_week_and_query.take(by_week_and_query.group // n_queries == at)
        found.append(_row(_iso_week(monday), sums, estimated(sums, NAMES, how)))
    return found


def _mondays(seconds: Floats) -> Floats:
    """The Monday of each moment's week, in days since 1970; NaN where there is no moment."""
    days = np.floor(seconds / _DAY)
    return np.asarray(days - (days + _THURSDAY) % 7)


def _iso_week(monday: float) -> str | None:
    if isnan(monday):
        return None
    year, week, _ = datetime.fromtimestamp(monday * _DAY, tz=UTC).isocalendar()
    return f"{year}-W{week:02d}"
