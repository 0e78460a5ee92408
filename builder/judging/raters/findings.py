"""What is known of each rater, as arrays: what profiles show and flags are raised from."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from builder.judging.agreement.copies import Copy, find_copies
from builder.judging.agreement.leaving_out import (
    Estimates,
    Floats,
    Ints,
    Sums,
    estimated,
    sums_by,
)
from builder.judging.raters.comparisons import N_GRADES, NO_MAJORITY, Comparisons, compared
from builder.judging.raters.levels import levels_of
from builder.judging.raters.pace import Pace, pace_of
from builder.judging.raters.statistics import kappa_columns, mean, quadratic_kappa
from builder.store.ratings import Ratings
from builder.store.repeats import Repeats
from estimates import Estimate

_SWAPPED = [0, 2, 1, 4, 3, 5]
"""The columns of `kappa_columns` seen from the other side."""


@dataclass(frozen=True, slots=True)
class Findings:
    """One entry a rater, in the order of the ratings' `raters`.

    Attributes:
        comparisons: Each grade beside those of others.
        with_others: Quadratic kappa of own grades with each grade of others.
        the_rest: The same among all others who count, without this rater.
        with_majority: Share of grades equal to the majority of the others, where there is one.
        bias: Own grade less the mean of the others, mean over pairs.
        level: How much higher than the middle rater, see `levels_of`; an excluded rater's bias.
        distribution: How often each grade was given, shape (raters, 4).
        on_shared: How often on pairs that others graded too, shape (raters, 4).
        of_others: Which grades others gave on these pairs, as shares; shape (raters, 4).
        confusion: Own grade by each grade of others, shape (raters, 4, 4).
        pace: How long a pair takes.
        repeats: How much was graded twice, and how much of it alike; shape (raters, 2).
        equal_among_others: Share of equal grades among different raters; NaN if unknown.
    """

    comparisons: Comparisons
    with_others: Estimates
    the_rest: list[Estimate]
    with_majority: Estimates
    bias: Estimates
    level: Floats
    distribution: Ints
    on_shared: Ints
    of_others: Floats
    confusion: Ints
    pace: Pace
    repeats: Ints
    equal_among_others: float

    @property
    def ratings(self) -> Ratings:
        """The grades themselves."""
        return self.comparisons.ratings


def findings_of(ratings: Ratings, repeats: Repeats) -> Findings:
    """Everything about each rater; excluded raters are compared with those who count."""
    comparisons = compared(ratings, _copies(ratings))
    own = _kappa_sums(comparisons)
    confusion = _confusion(comparisons)
    met = confusion[comparisons.counts].sum(axis=0)
    bias = bias_by(comparisons, ratings.rater, len(ratings.raters))
    level = levels_of(ratings, comparisons.meetings, comparisons.counts)
    return Findings(
        comparisons=comparisons,
        with_others=estimated(own, quadratic_kappa, "kappa"),
        the_rest=_the_rest(own, comparisons),
        with_majority=_with_majority(comparisons),
        bias=bias,
        level=np.where(comparisons.counts, level, bias.value),
        distribution=_distribution(ratings, np.ones(len(ratings), dtype=bool)),
        on_shared=_distribution(ratings, comparisons.n_others > 0),
        of_others=_of_others(comparisons),
        confusion=confusion,
        pace=pace_of(ratings.rater, ratings.milliseconds, len(ratings.raters)),
        repeats=_repeated(repeats, ratings),
        equal_among_others=float(np.trace(met) / met.sum()) if met.any() else float("nan"),
    )


def _copies(ratings: Ratings) -> list[Copy]:
    """Copies among the raters who count, and of each excluded rater with these."""
    found = find_copies(ratings)
    for name in ratings.excluded:
        rest = {other: why for other, why in ratings.excluded.items() if other != name}
        found += [
            copy for copy in find_copies(replace(ratings, excluded=rest)) if name in copy.raters
        ]
    return found


def _kappa_sums(comparisons: Comparisons) -> Sums:
    return kappa_sums_by(comparisons, comparisons.ratings.rater, len(comparisons.counts))


def kappa_sums_by(comparisons: Comparisons, group: Ints, n_groups: int) -> Sums:
    """Sums of `kappa_columns` by group and query; rows of a negative group are left out."""
    ratings = comparisons.ratings
    used = (comparisons.n_others > 0) & (group >= 0)
    own = ratings.grade[used].astype(float)
    columns = kappa_columns(own, comparisons.others[used])
    return sums_by(group[used], ratings.query[used], columns, n_groups)


def bias_by(comparisons: Comparisons, group: Ints, n_groups: int) -> Estimates:
    """Own grade less the mean of the others, by group; rows of a negative group are left out."""
    ratings = comparisons.ratings
    used = (comparisons.n_others > 0) & (group >= 0)
    higher = ratings.grade[used] - comparisons.mean_of_others[used]
    columns = [np.ones(len(higher)), higher]
    sums = sums_by(group[used], ratings.query[used], columns, n_groups)
    return estimated(sums, mean, "difference")


def _the_rest(own: Sums, comparisons: Comparisons) -> list[Estimate]:
    """Kappa among the others, for each rater: everybody's meetings less this rater's."""
    counted = comparisons.counts[own.group]
    nobody = np.zeros(len(counted), dtype=np.int64)
    columns = list((own.values * counted[:, None]).T)
    everybody = sums_by(nobody, own.query, columns, 1)
    return [
        _without(everybody, own, rater if counts else None)
        for rater, counts in enumerate(comparisons.counts)
    ]


def _without(everybody: Sums, own: Sums, rater: int | None) -> Estimate:
    values = everybody.values.copy()
    if rater is not None:
        mine = own.group == rater
        place = np.searchsorted(everybody.query, own.query[mine])
        values[place] -= own.values[mine] + own.values[mine][:, _SWAPPED]
    some = values[:, 0] > 0.5
    rest = replace(
        everybody,
        group=everybody.group[some],
        query=everybody.query[some],
        values=values[some],
    )
    found = estimated(rest, quadratic_kappa, "kappa").at(0)
    return replace(found, n=found.n // 2)  # each meeting was seen from both sides


def _with_majority(comparisons: Comparisons) -> Estimates:
    ratings, majority = comparisons.ratings, comparisons.majority
    used = majority != NO_MAJORITY
    equal = (ratings.grade == majority)[used].astype(float)
    columns = [np.ones(len(equal)), equal]
    sums = sums_by(ratings.rater[used], ratings.query[used], columns, len(ratings.raters))
    return estimated(sums, mean, "share")


def _distribution(ratings: Ratings, used: NDArray[np.bool_]) -> Ints:
    n_raters = len(ratings.raters)
    cell = ratings.rater[used] * N_GRADES + ratings.grade[used]
    return np.bincount(cell, minlength=n_raters * N_GRADES).reshape(n_raters, N_GRADES)


def _of_others(comparisons: Comparisons) -> Floats:
    """Each pair weighs the same, however many others graded it; NaN where no pair is shared."""
    n_others, rater = comparisons.n_others, comparisons.ratings.rater
    shared = n_others > 0
    shares = comparisons.others[shared] / n_others[shared, None]
    n_raters = len(comparisons.counts)
    total = np.stack([np.bincount(rater[shared], column, n_raters) for column in shares.T], axis=1)
    n = total.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0))


def _confusion(comparisons: Comparisons) -> Ints:
    ratings, n_raters = comparisons.ratings, len(comparisons.counts)
    row = ratings.rater * N_GRADES + ratings.grade
    cells = [np.bincount(row, column, n_raters * N_GRADES) for column in comparisons.others.T]
    return np.stack(cells, axis=1).reshape(n_raters, N_GRADES, N_GRADES).astype(np.int64)


def _repeated(repeats: Repeats, ratings: Ratings) -> Ints:
    place = {name: at for at, name in enumerate(ratings.raters)}
    counts = np.zeros((len(place), 2), dtype=np.int64)
    n = np.bincount(repeats.rater, minlength=len(repeats.raters))
    alike = np.bincount(repeats.rater[repeats.first == repeats.second], minlength=len(n))
    for at, name in enumerate(repeats.raters):
        if name in place:
            counts[place[name]] = n[at], alike[at]
    return counts
