"""What the row of steps says of the raters' agreement on the latest release."""

import pytest

from ui.overview_steps import _agreement


@pytest.mark.parametrize(
    ("alpha", "told"),
    [
        (
            {"value": 0.841, "low": 0.7, "high": 0.9, "n": 1200},
            "(0.700\u20130.900, n = 1,200 pairs)",
        ),
        ({"value": 0.841, "low": None, "high": None, "n": 40}, " 0.841 (n = 40 pairs)"),
        ({"value": None, "low": None, "high": None, "n": 0}, ""),
    ],
)
def test_agreement_has_an_interval_or_nothing_in_its_place(
    alpha: dict[str, float | None], told: str
) -> None:
    said = _agreement({"agreement": {"alpha_ordinal": alpha}})
    assert said.endswith(told)
    assert bool(said) == bool(told)
