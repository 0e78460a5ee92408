"""Levels of raters, their pace, and the weeks in which they graded."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from builder.judging.agreement.meetings import meetings_of
from builder.judging.raters.levels import levels_of
from builder.judging.raters.pace import pace_of
from builder.judging.raters.weeks import UNKNOWN, weeks_of
from builder.store.ratings import Ratings, ratings_of
from tests.builder.judging.raters.by_hand import ratings
from tests.builder.judging.raters.simulated import Team, graded_by


def levels(graded: Ratings, counts: list[bool] | None = None) -> list[float]:
    known = np.array(counts or [True] * len(graded.raters), dtype=bool)
    return [float(level) for level in levels_of(graded, meetings_of(graded), known)]


def test_a_lenient_rater_makes_nobody_else_strict() -> None:
    found = levels(ratings({"a": [0, 1, 2, None], "b": [1, 2, 3, 2], "c": [0, 1, None, 1]}))
    assert found == pytest.approx([0.0, 1.0, 0.0])


def test_levels_are_those_of_least_squares() -> None:
    graded = graded_by(Team(n_pairs=80, lenient={"cy": 0.7}), 5)
    n_pairs = int(graded.pair.max()) + 1
    design = np.zeros((len(graded), n_pairs + 6))
    design[np.arange(len(graded)), graded.pair] = 1.0
    design[np.arange(len(graded)), n_pairs + graded.rater] = 1.0
    fitted = np.linalg.lstsq(design, graded.grade.astype(float))[0][n_pairs:]
    assert levels(graded) == pytest.approx((fitted - np.median(fitted)).tolist())


def test_who_is_excluded_or_met_nobody_has_no_level() -> None:
    found = levels(
        ratings({"a": [0, 1], "b": [1, 2], "c": [3, 3], "d": [None, None, 2]}),
        [True, True, False, True],
    )
    assert found[:2] == pytest.approx([-0.5, 0.5])
    assert np.isnan(found[2:]).all()


def test_without_a_rater_there_is_no_level() -> None:
    assert levels(ratings_of([])) == []


def test_pace_is_the_median_of_the_known_times() -> None:
    group = np.array([0, 0, 0, 2, 2, 2, 2, 2])
    milliseconds = np.array([9000.0, 1000.0, np.nan, 4000.0, 1.0, 2500.0, 10000.0, np.nan])
    found = pace_of(group, milliseconds, 4)
    assert found.n.tolist() == [2, 0, 4, 0]
    assert found.median[[0, 2]].tolist() == [5.0, 3.25]
    assert np.isnan(found.median[[1, 3]]).all()


def test_weeks_are_those_of_the_calendar() -> None:
    begin = datetime(2020, 12, 20, 23, 59, 59, tzinfo=UTC)
    moments = [begin + timedelta(days=day) for day in range(0, 2500, 5)]
    moments.insert(3, datetime(1969, 12, 28, 12, tzinfo=UTC))
    found = weeks_of(np.array([*(moment.timestamp() for moment in moments), np.nan]))
    assert found.of_row[-1] == UNKNOWN
    names = [found.names[at] for at in found.of_row[:-1]]
    for moment, name in zip(moments, names, strict=True):
        year, week, _ = moment.isocalendar()
        assert name == f"{year}-W{week:02}"
    assert found.names == sorted(found.names)


def test_no_moment_no_week() -> None:
    found = weeks_of(np.array([np.nan, np.nan]))
    assert (found.of_row.tolist(), found.names) == ([UNKNOWN, UNKNOWN], [])
