from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from builder.judging.agreement.units import counted, without_excluded
from builder.store.grades import GradeRow
from builder.store.ratings import ratings_of
from tests.builder.judging.agreement.drawing import by_pair, grade_rows


@given(rows=grade_rows)
def test_pairs_have_their_grades_counted(rows: list[GradeRow]) -> None:
    units = counted(ratings_of(rows))
    pairs = by_pair(rows)
    assert units.pair.tolist() == list(range(len(pairs)))
    expected = [[Counter(grades)[grade] for grade in range(4)] for grades in pairs.values()]
    assert units.counts.tolist() == expected
    assert units.is_shared.tolist() == [len(grades) > 1 for grades in pairs.values()]


@given(rows=grade_rows)
def test_a_pair_has_the_time_of_its_last_grade(rows: list[GradeRow]) -> None:
    ratings = ratings_of(rows)
    units = counted(ratings)
    for pair, last in zip(units.pair, units.seconds, strict=True):
        times = ratings.seconds[ratings.pair == pair]
        known = times[~np.isnan(times)]
        assert last == known.max() if len(known) else np.isnan(last)


@given(rows=grade_rows)
def test_who_is_excluded_has_no_row(rows: list[GradeRow]) -> None:
    left = without_excluded(ratings_of(rows, {"ana": "a robot"}))
    others = ratings_of([row for row in rows if row.rater != "ana"])
    assert left.grade.tolist() == others.grade.tolist()
    assert counted(left).counts.tolist() == counted(others).counts.tolist()


def test_a_grade_off_the_scale_is_an_error() -> None:
    ratings = ratings_of([GradeRow("q", "d", "ana", "human", "grade", 4)])
    with pytest.raises(ValueError, match="0 to 3"):
        counted(ratings)
    assert counted(ratings, 5).counts.tolist() == [[0, 0, 0, 0, 1]]
