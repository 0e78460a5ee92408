"""Statistics of sums by group: kappas and means, with intervals from leaving out queries."""

import math

import numpy as np
import pytest

from builder.judging.agreement.coefficients import kappa
from builder.judging.agreement.leaving_out import DENSE_CELLS, Sums, estimated, sums_by
from builder.judging.raters.statistics import kappa_columns, mean, quadratic_kappa


def two_raters(seed: int, n_queries: int = 12) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    query = np.sort(random.integers(0, n_queries, 150))
    truth = random.normal(0, 1, n_queries)[query] + random.normal(0, 0.5, 150)
    seen = [np.digitize(truth + random.normal(0, 0.6, 150), (-0.3, 0.6, 1.2)) for _ in range(2)]
    return query, seen[0], seen[1]


def kappa_sums(query: np.ndarray, own: np.ndarray, other: np.ndarray) -> Sums:
    columns = kappa_columns(own.astype(float), np.eye(4)[other])
    return sums_by(np.zeros(len(own), dtype=np.int64), query, columns, 1)


@pytest.mark.parametrize("seed", range(5))
def test_kappa_by_moments_is_the_kappa_of_the_table(seed: int) -> None:
    query, own, other = two_raters(seed)
    table = np.zeros((4, 4))
    np.add.at(table, (own, other), 1.0)
    found = quadratic_kappa(kappa_sums(query, own, other).totals)
    assert found[0] == pytest.approx(float(kappa(table, "quadratic")))


def test_kappa_of_one_grade_is_undefined() -> None:
    zeros = np.zeros(10, dtype=np.int64)
    found = estimated(kappa_sums(np.arange(10), zeros, zeros), quadratic_kappa, "kappa").at(0)
    assert (found.value, found.reason, found.n) == (None, "all_grades_equal", 10)


def test_the_interval_is_that_of_recomputing_without_each_query() -> None:
    query, own, other = two_raters(7)
    found = estimated(kappa_sums(query, own, other), quadratic_kappa, "kappa").at(0)
    without = [
        float(quadratic_kappa(kappa_sums(query[rest], own[rest], other[rest]).totals)[0])
        for at in np.unique(query)
        for rest in [query != at]
    ]
    g = len(without)
    error = math.sqrt((g - 1) / g * sum((each - np.mean(without)) ** 2 for each in without))
    from scipy.stats import t

    assert found.value is not None
    assert found.low is not None
    step = t.ppf(0.975, g - 1) * error / (1 - found.value**2)
    assert found.low == pytest.approx(math.tanh(math.atanh(found.value) - step))
    assert found.high == pytest.approx(math.tanh(math.atanh(found.value) + step))


@pytest.mark.parametrize("scale", ["kappa", "share", "difference"])
def test_no_interval_where_nothing_varies(scale: str) -> None:
    sums = Sums(np.zeros(5, dtype=np.int64), np.arange(5), np.ones((5, 2)), 1)
    found = estimated(sums, mean, scale).at(0)  # type: ignore[arg-type]
    assert (found.value, found.low, found.reason) == (1.0, None, "never_differed")


def test_no_interval_of_one_query_and_no_value_of_none() -> None:
    group = np.array([0, 0, 2])
    sums = sums_by(group, np.array([4, 4, 1]), [np.ones(3), np.array([1.0, 0.0, 1.0])], 3)
    found = estimated(sums, mean, "share")
    assert (found.at(0).value, found.at(0).reason) == (0.5, "one_query_has_no_interval")
    assert (found.at(1).value, found.at(1).reason) == (None, "no_pair_graded_by_two")
    assert found.at(2, fewest=2).reason == "too_few_units"


def test_shares_and_kappas_stay_inside_their_range() -> None:
    values = np.array([[9.0, 9.0], *[[1.0, 0.0]] * 4])
    few = Sums(np.zeros(5, dtype=np.int64), np.arange(5), values, 1)
    found = estimated(few, mean, "share").at(0)
    assert found.low is not None
    assert found.high is not None
    assert 0.0 <= found.low < 9 / 13 < found.high <= 1.0


def test_many_cells_are_summed_like_few(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    group, query = random.integers(0, 50, 3000), random.integers(0, 80, 3000)
    columns = [np.ones(3000), random.normal(size=3000)]
    dense = sums_by(group, query, columns, 50)
    assert dense.n_groups * 80 < DENSE_CELLS
    monkeypatch.setattr("builder.judging.agreement.leaving_out.DENSE_CELLS", 0)
    sparse = sums_by(group, query, columns, 50)
    assert np.array_equal(dense.group, sparse.group)
    assert np.array_equal(dense.query, sparse.query)
    assert np.allclose(dense.values, sparse.values)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    # The kappa of a million pairs of the same kind is the truth; 15 and 40 queries are seen of it.
    def drawn(random: np.random.Generator, n_queries: int, docs: int) -> Sums:
        query = np.repeat(np.arange(n_queries), docs)
        truth = random.normal(0, 1, n_queries)[query] + random.normal(0, 0.6, len(query))
        seen = [
            np.digitize(truth + random.normal(0, 0.6, len(query)), (0.2, 0.9, 1.5))
            for _ in range(2)
        ]
        return kappa_sums(query, seen[0], seen[1])

    random = np.random.default_rng(11)
    expected = float(quadratic_kappa(drawn(random, 100_000, 10).totals)[0])
    for n_queries in (15, 40):
        found = [
            estimated(drawn(random, n_queries, 10), quadratic_kappa, "kappa").at(0)
            for _ in range(1000)
        ]
        covered = sum(
            each.low <= expected <= each.high
            for each in found
            if each.low is not None and each.high is not None
        )
        assert 920 <= covered <= 980, (n_queries, covered)


@pytest.mark.parametrize(("n_queries", "reason"), [(4, "too_few_queries"), (5, None)])
def test_no_interval_of_fewer_queries_than_alpha_asks_for(
    n_queries: int, reason: str | None
) -> None:
    query = np.arange(n_queries * 4) % n_queries
    own = np.arange(n_queries * 4) % 4
    other = np.where(query == 0, 3 - own, own)
    found = estimated(kappa_sums(query, own, other), quadratic_kappa, "kappa").at(0)
    assert found.value is not None
    assert (found.reason, found.low is None) == (reason, n_queries < 5)
