import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score

from builder.judging.agreement.coefficients import Level, Weights, alpha, gwet, kappa, share_equal
from builder.judging.agreement.sums import as_sums, sums_by
from builder.judging.agreement.units import Units

counts_of_units = hnp.arrays(
    np.int64, st.tuples(st.integers(1, 12), st.just(4)), elements=st.integers(0, 3)
)
confusions = hnp.arrays(np.int64, (4, 4), elements=st.integers(0, 5))


def coincidences(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Written unit by unit and rating by rating, as the definition has it."""
    table = np.zeros((4, 4))
    for unit in counts:
        ratings = np.repeat(np.arange(4), unit)
        for at, one in enumerate(ratings):
            for also, other in enumerate(ratings):
                if at != also:
                    table[one, other] += 1 / (len(ratings) - 1)
    return table


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@given(counts=counts_of_units)
@settings(max_examples=60, deadline=None)
def test_alpha_equals_the_library(level: Level, counts: NDArray[np.int64]) -> None:
    table = coincidences(counts)
    if np.count_nonzero(table.sum(axis=0)) < 2:
        assert np.isnan(alpha(table, level))
        return
    expected = krippendorff.alpha(
        value_counts=counts, value_domain=[0, 1, 2, 3], level_of_measurement=level
    )
    assert alpha(table, level) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("weights", ["nominal", "quadratic"])
@given(confusion=confusions)
@settings(max_examples=60, deadline=None)
def test_kappa_equals_scikit_learn(weights: Weights, confusion: NDArray[np.int64]) -> None:
    value = kappa(confusion.astype(float), weights)
    one, other = (np.repeat(axis, confusion.ravel()) for axis in np.indices((4, 4)).reshape(2, -1))
    if len({*one, *other}) < 2:
        assert np.isnan(value)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = cohen_kappa_score(
            one, other, labels=[0, 1, 2, 3], weights=None if weights == "nominal" else weights
        )
    assert value == pytest.approx(expected, abs=1e-9)


def test_many_tables_at_once_are_each_their_own() -> None:
    generator = np.random.default_rng(3)
    tables = generator.integers(0, 5, size=(7, 4, 4)).astype(float)
    together = kappa(tables, "quadratic")
    assert together.tolist() == [float(kappa(table, "quadratic")) for table in tables]


def test_share_equal_counts_the_diagonal() -> None:
    table = np.array([[3.0, 1, 0, 0], [0, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 4]])
    assert share_equal(table) == pytest.approx(0.9)
    assert np.isnan(share_equal(np.zeros((4, 4))))


def summed(counts: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    """The four sums over all units."""
    n = len(counts)
    units = Units(np.arange(n), np.zeros(n, dtype=np.int64), counts, np.full(n, np.nan))
    columns = sums_by(units, units.query).columns.sum(axis=0)
    return list(as_sums(columns, counts.shape[1]))


@given(counts=counts_of_units.filter(lambda counts: counts.sum(axis=1).all()))
@settings(max_examples=60, deadline=None)
def test_coincidences_are_summed_as_the_definition_has_it(counts: NDArray[np.int64]) -> None:
    assert summed(counts)[0] == pytest.approx(coincidences(counts))


@pytest.mark.parametrize("weights", ["nominal", "quadratic"])
@given(counts=counts_of_units.filter(lambda counts: counts.sum(axis=1).all()))
@settings(max_examples=60, deadline=None)
def test_ac_is_as_the_definition_has_it(weights: Weights, counts: NDArray[np.int64]) -> None:
    _, _, shares, prevalence = summed(counts)
    shared = [unit for unit in counts.tolist() if sum(unit) > 1]
    if not shared:
        assert np.isnan(gwet(shares, prevalence, weights))
        return
    expected = ac_by_definition(counts.tolist(), shared, weights)
    assert gwet(shares, prevalence, weights) == pytest.approx(expected, abs=1e-9)


def ac_by_definition(graded: list[list[int]], shared: list[list[int]], weights: Weights) -> float:
    """Gwet (2014), Handbook of Inter-Rater Reliability, written unit by unit."""
    q = len(graded[0])
    w = [
        [
            float(k == m) if weights == "nominal" else 1 - (k - m) ** 2 / (q - 1) ** 2
            for m in range(q)
        ]
        for k in range(q)
    ]
    p_a = 0.0
    for unit in shared:
        r = sum(unit)
        for k in range(q):
            alike = sum(w[k][m] * unit[m] for m in range(q))
            p_a += unit[k] * (alike - 1) / (r * (r - 1)) / len(shared)
    pi = [sum(unit[k] / sum(unit) for unit in graded) / len(graded) for k in range(q)]
    p_e = sum(map(sum, w)) / (q * (q - 1)) * sum(p * (1 - p) for p in pi)
    return (p_a - p_e) / (1 - p_e)
