"""Agreement of two sides: equal to scikit-learn's kappa, and no number where there is none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from builder.judging.agreement import two_sides
from builder.judging.agreement.words import in_words

GRADE = st.integers(0, 3)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 8), GRADE, GRADE), min_size=2, max_size=40))
def test_kappa_is_that_of_scikit_learn(rows: list[tuple[int, int, int]]) -> None:
    queries, one, other = ([row[at] for row in rows] for at in range(3))
    found = two_sides([f"q{query}" for query in queries], one, other)
    assert sum(map(sum, found.confusion)) == len(rows)
    assert found.share_equal.value == sum(a == b for _, a, b in rows) / len(rows)
    kappa = found.kappa_quadratic
    assert kappa.n == len(rows)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert (kappa.value, kappa.reason) == (None, "one_grade_only")
        return
    expected = cohen_kappa_score(one, other, labels=[0, 1, 2, 3], weights="quadratic")
    assert kappa.value == pytest.approx(expected)
    assert (kappa.low is None) == (kappa.reason is not None)
    if len(set(queries)) < 5:
        assert kappa.low is None


def test_pairs_of_one_query_resemble_each_other_and_widen_the_interval() -> None:
    # The same twenty pairs as twenty queries, or as five in which all pairs agree or none does.
    one, other = [0, 3] * 10, [0, 3] * 6 + [3, 0] * 4
    alone = two_sides([f"q{n}" for n in range(20)], one, other).kappa_quadratic
    together = two_sides([f"q{n // 4}" for n in range(20)], one, other).kappa_quadratic
    assert alone.value == together.value == pytest.approx(0.2)
    assert alone.low is not None
    assert together.low is not None
    assert together.low < alone.low


@pytest.mark.parametrize(("grades", "reason"), [([], "no_pair_in_common"), ([1], "too_few_units")])
def test_too_few_pairs_are_no_agreement(grades: list[int], reason: str) -> None:
    found = two_sides(["q"] * len(grades), grades, grades)
    assert found.as_json()["kappa_quadratic"]["reason"] == reason
    assert in_words(reason) != reason
