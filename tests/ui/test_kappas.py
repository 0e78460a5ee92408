"""What stands in a cell of the heat map fits into it, and the table beneath wraps."""

import pytest

from ui.kappas import _kappa_table, kappa_frame

LONGEST_LINE = len("undefined")
"""Characters at 13 pixels; a cell is 70 pixels wide."""


@pytest.mark.parametrize("reason", ["too_few_units", "all_grades_equal", "a_reason_of_tomorrow"])
def test_undefined_fits_into_a_cell_and_is_explained_beside(reason: str) -> None:
    missing = {"value": None, "low": None, "high": None, "n": 200_000, "reason": reason}
    row = {"raters": ["a", "b"], "n": 200_000, "kappa_quadratic": missing, "kappa_nominal": missing}
    frame = kappa_frame(["a", "b", "c"], [row], "nominal")
    lines = [line for said in frame["said"] for line in said.splitlines()]
    assert max(map(len, lines)) <= LONGEST_LINE
    assert len(frame["detail"].tolist()[0]) > LONGEST_LINE
    assert 'class="gs-pairwise' in _kappa_table([row])
