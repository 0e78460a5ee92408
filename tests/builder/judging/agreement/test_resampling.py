import numpy as np
import pytest

from builder.judging.agreement.resampling import bounds, resampled_sums


def test_the_same_seed_draws_the_same_queries() -> None:
    columns = np.random.default_rng(5).integers(0, 4, size=(9, 3)).astype(float)
    first = resampled_sums(columns, resamples=50, seed=1)
    assert np.array_equal(first, resampled_sums(columns, resamples=50, seed=1))
    assert not np.array_equal(first, resampled_sums(columns, resamples=50, seed=2))


def test_each_resample_draws_as_many_queries_as_there_are() -> None:
    drawn = resampled_sums(np.ones((11, 2)), resamples=20, seed=0)
    assert drawn.shape == (20, 2)
    assert set(drawn.ravel()) == {11.0}


def test_resamples_in_several_blocks_are_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builder.judging.agreement.resampling._BLOCK", 33)
    drawn = resampled_sums(np.eye(11), resamples=20, seed=0)
    assert drawn.shape == (20, 11)
    assert (drawn.sum(axis=1) == 11).all()
    # A query is left out of a draw with probability (1 - 1/11)^11 = .35.
    assert 0.2 < (drawn == 0).mean() < 0.5


@pytest.mark.parametrize(
    # Phi(-sqrt(n / (n - 1)) t) by tables: n = 10: t(9) = 2.262, times 1.0541, Phi(-2.384) = .0086;
    # n = 20: t(19) = 2.093, Phi(-2.147) = .0159; n = 100: t(99) = 1.984, Phi(-1.994) = .0231.
    ("n", "share"),
    [(10, 0.0086), (20, 0.0159), (100, 0.0231)],
)
def test_bounds_reach_further_out_for_few_queries(n: int, share: float) -> None:
    evenly = np.linspace(0.0, 1.0, 100_001)
    low, high = bounds(evenly, n)
    assert low == pytest.approx(share, abs=1e-4)
    assert high == pytest.approx(1.0 - share, abs=1e-4)
