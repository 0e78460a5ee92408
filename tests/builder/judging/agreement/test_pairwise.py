import warnings
from itertools import combinations

import pytest
from hypothesis import given, settings
from sklearn.metrics import cohen_kappa_score

from builder.judging.agreement.pairwise import pairwise
from builder.store.grades import GradeRow
from builder.store.ratings import ratings_of
from tests.builder.judging.agreement.drawing import grade_rows


@given(rows=grade_rows)
@settings(deadline=None)
def test_kappas_are_those_of_scikit_learn(rows: list[GradeRow]) -> None:
    by_rater: dict[str, dict[tuple[str, str], int]] = {}
    for row in rows:
        assert row.grade is not None
        by_rater.setdefault(row.rater, {})[row.query_id, row.doc_id] = row.grade
    found = {tuple(row["raters"]): row for row in pairwise(ratings_of(rows), 4)}
    assert list(found) == sorted(found)
    for one, other in combinations(sorted(by_rater), 2):
        shared = sorted(by_rater[one].keys() & by_rater[other].keys())
        if not shared:
            assert (one, other) not in found
            continue
        assert found[one, other]["n"] == len(shared)
        grades = [[by_rater[name][pair] for pair in shared] for name in (one, other)]
        for weights in ("nominal", "quadratic"):
            assert_kappa(found[one, other][f"kappa_{weights}"], grades, weights)


def assert_kappa(kappa: dict[str, object], grades: list[list[int]], weights: str) -> None:
    if len(grades[0]) < 2:
        assert (kappa["value"], kappa["reason"]) == (None, "too_few_units")
        return
    if len({*grades[0], *grades[1]}) == 1:
        assert (kappa["value"], kappa["reason"]) == (None, "all_grades_equal")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = cohen_kappa_score(
            *grades, labels=[0, 1, 2, 3], weights=None if weights == "nominal" else weights
        )
    assert kappa["value"] == pytest.approx(expected, abs=1e-9)


@given(rows=grade_rows)
@settings(deadline=None, max_examples=25)
def test_blocks_change_nothing(rows: list[GradeRow]) -> None:
    ratings = ratings_of(rows)
    expected = pairwise(ratings, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("builder.judging.agreement.pairwise.BLOCK", 3)
        assert pairwise(ratings, 4) == expected
