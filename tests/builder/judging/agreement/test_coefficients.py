import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score

from builder.judging.agreement.coefficients import Level, Weights, alpha, kappa, share_equal

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
