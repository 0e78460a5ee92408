"""From which difference in nDCG@10 on grades at a given alpha name the better of two models.

The numbers behind the ladder of `verdict`: fifty queries, pools of thirty documents; models see the
relevance of documents through errors of which they share a part; raters err independently. Grades
without error say which of two models is better on the fifty queries; grades of a rater, at an alpha
between raters of .8, .6 or .4, must say the same in 95 of 100 cases where the models differ by what
the ladder promises.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from builder.judging.agreement.coefficients import alpha
from builder.judging.agreement.verdict import RUNGS, Rung

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

N_QUERIES = 50
CUTS = (0.0, 0.75, 1.4)
_DISCOUNTS = 1.0 / np.log2(np.arange(2, 12))


def ndcg(grades: Ints, scores: Floats) -> Floats:
    """nDCG@10 of each query, linear gain; 0 without a relevant document."""
    ranked = np.take_along_axis(grades, np.argsort(-scores, axis=1)[:, :10], axis=1)
    ideal = (-np.sort(-grades, axis=1)[:, :10] * _DISCOUNTS).sum(axis=1)
    return np.asarray((ranked * _DISCOUNTS).sum(axis=1) / np.maximum(ideal, 1e-9))


@dataclass(frozen=True)
class World:
    """Documents with their relevance, shape (queries, documents)."""

    relevance: Floats
    generator: np.random.Generator

    def graded(self, error: float) -> Ints:
        """What a rater gives who errs with this standard deviation."""
        noise = self.generator.normal(size=self.relevance.shape)
        return np.asarray(np.digitize(self.relevance + error * noise, CUTS))

    def error_at(self, target: float) -> float:
        """The error at which two raters reach the ordinal alpha."""
        low, high = 0.05, 3.0
        for _ in range(14):
            error = (low + high) / 2.0
            low, high = (error, high) if self.agreement(error) > target else (low, error)
        return (low + high) / 2.0

    def agreement(self, error: float) -> float:
        one, other = self.graded(error), self.graded(error)
        table = np.zeros((4, 4))
        np.add.at(table, (one.ravel(), other.ravel()), 1.0)
        return float(alpha(table + table.T, "ordinal"))

    def right_from(self, grades: Ints, scatter: float) -> float:
        """The smallest true difference of two models that the grades get right 95 % of the time."""
        truth, shape = self.graded(0.0), self.relevance.shape
        first = self.relevance + scatter * self.generator.normal(size=shape)
        for better in np.arange(0.99, 0.3, -0.02):
            own = scatter * self.generator.normal(size=shape)
            second = self.relevance + better * (
                0.7 * (first - self.relevance) + np.sqrt(1.0 - 0.7**2) * own
            )
            true, seen = (
                (ndcg(of, second) - ndcg(of, first)).reshape(-1, N_QUERIES).mean(axis=1)
                for of in (truth, grades)
            )
            if (np.sign(true) == np.sign(seen)).mean() >= 0.95:
                return float(true.mean())
        return 1.0


@pytest.mark.slow
@pytest.mark.parametrize("rung", RUNGS, ids=[rung.level for rung in RUNGS])
@pytest.mark.parametrize("rare", [-0.5, 0.0, 0.6], ids=["many relevant", "some", "few"])
@pytest.mark.parametrize("scatter", [0.6, 1.2], ids=["good models", "poor models"])
def test_a_rung_promises_no_more_than_its_grades_show(
    rung: Rung, rare: float, scatter: float
) -> None:
    generator = np.random.default_rng(4)
    mood = 0.6 * generator.normal(size=(20_000, 1))
    world = World(mood + 0.8 * generator.normal(size=(20_000, 30)) - rare, generator)
    grades = world.graded(world.error_at(rung.lowest))
    found = world.right_from(grades, scatter)
    print(rung.level, found)  # noqa: T201
    assert found <= rung.differ + 0.005
