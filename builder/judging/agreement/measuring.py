"""The statistics of some grades together, and what a verdict on them needs to know."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from builder.judging.agreement.coefficients import Level
from builder.judging.agreement.disagreements import is_disputed
from builder.judging.agreement.estimating import Resampling, estimated
from builder.judging.agreement.sums import STATISTICS, sums_by
from builder.judging.agreement.units import Units, counted
from builder.judging.agreement.verdict import Evidence
from builder.store.ratings import Ratings
from estimates import Estimate

_LEVELS: Final[tuple[Level, ...]] = ("ordinal", "nominal", "interval")


@dataclass(frozen=True, slots=True)
class Measured:
    """The pairs, the statistics by name, and what a verdict needs to know."""

    units: Units
    found: dict[str, Estimate]
    evidence: Evidence


def measured(graded: Ratings, n_grades: int, how: Resampling) -> Measured:
    """The statistics of the grades, all of which count.

    Raises:
        ValueError: A grade is not on the scale of n_grades.
    """
    units = counted(graded, n_grades)
    reason = _nothing_to_compare(graded)
    found = estimated(sums_by(units, units.query), STATISTICS, how, reason=reason)
    for level in _LEVELS:
        name = f"alpha_{level}"
        if found[name].value is not None:
            found[name] = replace(found[name], value=_library_alpha(units.counts, level))
    return Measured(units, found, _evidence(units, found["alpha_ordinal"]))


def _nothing_to_compare(graded: Ratings) -> str | None:
    """Why no statistic of agreement can be computed, as far as raters are the reason."""
    n_raters = len(np.unique(graded.rater))
    if n_raters == 0:
        return "all_raters_left_out" if graded.excluded else "no_human_grades"
    return "one_rater" if n_raters == 1 else None


def _library_alpha(counts: NDArray[np.int64], level: Level) -> float:
    """Krippendorff's alpha by the library of that name, of counts of shape (pairs, grades)."""
    import krippendorff

    return float(
        krippendorff.alpha(
            value_counts=counts,
            value_domain=list(range(counts.shape[1])),
            level_of_measurement=level,
        )
    )


def _evidence(units: Units, alpha: Estimate) -> Evidence:
    shared = units.where(units.is_shared)
    return Evidence(
        alpha=alpha,
        n_pairs=len(shared),
        n_queries=len(np.unique(shared.query)),
        n_other=_other_than_commonest(shared.counts),
        n_disputed=int(np.count_nonzero(is_disputed(shared.counts))),
    )


def _other_than_commonest(counts: NDArray[np.int64]) -> int:
    """To how many of the pairs somebody gave another grade than the commonest of all."""
    commonest = int(counts.sum(axis=0).argmax())
    return int(np.count_nonzero(counts[:, commonest] < counts.sum(axis=1)))
