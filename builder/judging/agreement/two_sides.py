"""How far two sides agree that both graded the same pairs, such as experts and clicks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from builder.judging.agreement.coefficients import GRADES, Floats, kappa, share_equal
from builder.judging.agreement.leaving_out import Scale, Statistic, estimated, sums_by
from estimates import Estimate

FEWEST_PAIRS = 2
NO_PAIR, ONE_GRADE = "no_pair_in_common", "one_grade_only"


@dataclass(frozen=True, slots=True)
class TwoSides:
    """What the grades of two sides on the same pairs have in common.

    Attributes:
        confusion: How many pairs have each two grades: rows the one side, columns the other.
        kappa_quadratic: Cohen's kappa with quadratic weights; none where one side gave a single
            grade, since chance cannot be told from agreement there.
        share_equal: The share of pairs with the same grade.
    """

    confusion: list[list[int]]
    kappa_quadratic: Estimate
    share_equal: Estimate

    def as_json(self) -> dict[str, Any]:
        """The same, ready for strict JSON."""
        return {
            "n_pairs": sum(map(sum, self.confusion)),
            "kappa_quadratic": self.kappa_quadratic.as_json(),
            "share_equal": self.share_equal.as_json(),
            "confusion": self.confusion,
        }


def two_sides(query_ids: Sequence[str], one: Sequence[int], other: Sequence[int]) -> TwoSides:
    """The agreement of two sides; intervals come from leaving out one query at a time.

    Args:
        query_ids: The query of each pair, in any order.
        one: The grade of the one side for each pair, 0 to 3.
        other: The grade of the other side.
    """
    n_grades = len(GRADES)
    _, query = np.unique(np.array(query_ids, dtype=str), return_inverse=True)
    cell = np.array(one, dtype=np.int64) * n_grades + np.array(other, dtype=np.int64)
    columns = [np.ones(len(cell)), *(cell == np.arange(n_grades**2)[:, None]).astype(float)]
    sums = sums_by(np.zeros(len(cell), dtype=np.int64), query.astype(np.int64), columns, 1)
    confusion = np.bincount(cell, minlength=n_grades**2).reshape(n_grades, n_grades)
    reason = _not_to_be_told(confusion)

    def value(statistic: Statistic, scale: Scale) -> Estimate:
        if not len(cell):
            return Estimate.undefined(NO_PAIR)
        return estimated(sums, statistic, scale).at(0, fewest=FEWEST_PAIRS)

    found = value(lambda sums: kappa(_tables(sums), "quadratic"), "kappa")
    return TwoSides(
        confusion.tolist(),
        Estimate.undefined(reason, n=len(cell)) if reason else found,
        value(lambda sums: share_equal(_tables(sums)), "share"),
    )


def _tables(sums: Floats) -> Floats:
    n_grades = len(GRADES)
    return sums[..., 1:].reshape(*sums.shape[:-1], n_grades, n_grades)


def _not_to_be_told(confusion: Any) -> str | None:
    """Why there can be no kappa, whatever the pairs."""
    if confusion.sum() < FEWEST_PAIRS:
        return None
    used = [int(np.count_nonzero(confusion.sum(axis=axis))) for axis in (0, 1)]
    return ONE_GRADE if min(used) == 1 else None
