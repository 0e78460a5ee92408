"""Where relevance and position bias are known: COEC and SDBN order documents better than CTR."""

from pathlib import Path

import pytest

from tests.online.position_bias import INVERSE, STEEP, World, orders, share_at_first, simulate

BIASES = [(INVERSE, False), (STEEP, False), (INVERSE, True)]


@pytest.mark.parametrize(("looks", "cascade"), BIASES)
def test_coec_and_sdbn_order_better_than_ctr(
    tmp_path: Path, looks: list[float], *, cascade: bool
) -> None:
    found, share = ordered(World(40, 10, 120, looks, 1.0, cascade=cascade), tmp_path)
    assert found["coec"] > found["ctr"]
    assert found["sdbn"] > found["ctr"]
    if looks is STEEP:
        assert 0.55 < share < 0.65


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.3, 1.0])
@pytest.mark.parametrize(("looks", "cascade"), BIASES)
def test_so_they_do_where_the_ranker_is_good_and_searches_are_many(
    tmp_path: Path, looks: list[float], noise: float, *, cascade: bool
) -> None:
    found, _ = ordered(World(150, 10, 1500, looks, noise, cascade=cascade), tmp_path)
    assert found["coec"] > found["ctr"] + 0.02
    assert found["sdbn"] > found["ctr"]


def ordered(world: World, folder: Path) -> tuple[dict[str, float], float]:
    """Kendall's tau of each measure with the truth, and the share of clicks at rank 1."""
    evidence, truth = simulate(world, 1, folder)
    found = orders(evidence, truth)
    print(world.looks[1], world.noise, world.cascade, found)  # noqa: T201 - shown by pytest -s
    return found, share_at_first(evidence)
