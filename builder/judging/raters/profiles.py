"""A profile of each rater, ready for JSON."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from builder.judging.agreement.leaving_out import Estimates, Floats, Ints, estimated, sums_by
from builder.judging.raters.comparisons import Comparisons
from builder.judging.raters.findings import Findings, bias_by, findings_of, kappa_sums_by
from builder.judging.raters.flags import flags_from
from builder.judging.raters.pace import Pace, pace_of
from builder.judging.raters.statistics import quadratic_kappa
from builder.judging.raters.weeks import UNKNOWN, weeks_of
from builder.store.ratings import Ratings
from builder.store.repeats import Repeats
from estimates import Estimate, finite_or_none, wilson

FEWEST_FOR_KAPPA = 2


def rater_profiles(ratings: Ratings, repeats: Repeats | None = None) -> list[dict[str, Any]]:
    """What each rater did, and how it compares with the others; excluded raters last.

    Others are the raters who count. An excluded rater is compared with these and sways nobody's
    profile. Two raters whose grades are copies are no others to each other, except in `pairwise`.
    Intervals are 95 %, by leaving out one query at a time.

    Args:
        ratings: The grades of people.
        repeats: What raters graded twice.

    Returns:
        One dict a rater: rater, n (grades), excluded (why, or None), pace {median_s, n},
        distribution (how often each grade), with_others (quadratic kappa with each grade of
        others), with_majority (share equal to the majority of the others, ties left out),
        pairwise [{rater, n, kappa_quadratic}], bias (own less the mean of the others, in grades),
        level (the same with everybody estimated together, against the middle rater), confusion
        (own grade by each grade of others), self_agreement (share of repeats graded alike),
        by_week [{week, n, bias, with_others, median_s}] and flags [{code, sentence}].
    """
    if not len(ratings):
        return []
    found = findings_of(ratings, Repeats() if repeats is None else repeats)
    flags, weeks, couples = flags_from(found), _Weekly.of(found), _couples(found.comparisons)
    profiles = [
        _profile(found, rater)
        | {"pairwise": _pairwise(found, couples, rater), "by_week": weeks.rows_of(rater)}
        | {"flags": [flag.as_json() for flag in flags[name]]}
        for rater, name in enumerate(ratings.raters)
    ]
    graded = [profile for profile in profiles if profile["n"]]
    return sorted(graded, key=lambda profile: profile["excluded"] is not None)


def _profile(found: Findings, rater: int) -> dict[str, Any]:
    name = found.ratings.raters[rater]
    only_copies = any(name in copy.raters for copy in found.comparisons.copies)
    repeated, alike = (int(number) for number in found.repeats[rater])
    return {
        "rater": name,
        "n": int(found.distribution[rater].sum()),
        "excluded": found.ratings.excluded.get(name),
        "pace": {"median_s": _median(found.pace, rater), "n": int(found.pace.n[rater])},
        "distribution": found.distribution[rater].tolist(),
        "with_others": _explained(found.with_others, rater, only_copies=only_copies),
        "with_majority": _explained(found.with_majority, rater, only_copies=only_copies),
        "bias": _explained(found.bias, rater, only_copies=only_copies),
        "level": finite_or_none(float(found.level[rater])),
        "confusion": found.confusion[rater].tolist(),
        "self_agreement": _self_agreement(alike, repeated),
    }


def _explained(estimates: Estimates, rater: int, *, only_copies: bool) -> dict[str, Any]:
    estimate = estimates.at(rater)
    if only_copies and not estimate.n:
        estimate = Estimate.undefined("only_copies")
    return estimate.as_json()


def _self_agreement(alike: int, n: int) -> dict[str, Any]:
    return (wilson(alike, n) if n else Estimate.undefined("no_repeats")).as_json()


def _median(pace: Pace, group: int) -> float | None:
    return finite_or_none(float(pace.median[group]))


def _couples(comparisons: Comparisons) -> Estimates:
    """Quadratic kappa of every two raters; the couple of raters a < b is group a * raters + b."""
    ratings, n_raters = comparisons.ratings, len(comparisons.counts)
    one, other = comparisons.meetings.one, comparisons.meetings.other
    a, b = ratings.rater[one], ratings.rater[other]
    swapped = a > b
    low, high = np.where(swapped, b, a), np.where(swapped, a, b)
    x = ratings.grade[np.where(swapped, other, one)].astype(float)
    y = ratings.grade[np.where(swapped, one, other)].astype(float)
    columns: list[Floats] = [np.ones(len(x)), x, y, x * x, y * y, x * y]
    sums = sums_by(low * n_raters + high, ratings.query[one], columns, n_raters**2)
    return estimated(sums, quadratic_kappa, "kappa")


def _pairwise(found: Findings, couples: Estimates, rater: int) -> list[dict[str, Any]]:
    """With each rater who counts and graded a pair in common."""
    rows, n_raters = [], len(found.comparisons.counts)
    for other in np.flatnonzero(found.comparisons.counts).tolist():
        low, high = sorted((rater, other))
        couple = low * n_raters + high
        if low != high and couples.n[couple]:
            kappa = couples.at(couple, fewest=FEWEST_FOR_KAPPA)
            name = found.ratings.raters[other]
            rows.append({"rater": name, "n": kappa.n, "kappa_quadratic": kappa.as_json()})
    return rows


@dataclass(frozen=True, slots=True)
class _Weekly:
    """Findings by rater and week; the group of a rater's week is rater * weeks + week."""

    names: list[str]
    n: Ints
    bias: Estimates
    with_others: Estimates
    pace: Pace

    @classmethod
    def of(cls, found: Findings) -> "_Weekly":
        ratings, comparisons = found.ratings, found.comparisons
        weeks = weeks_of(ratings.seconds)
        n_groups = max(1, len(weeks.names)) * len(ratings.raters)
        known = weeks.of_row != UNKNOWN
        group = np.where(known, ratings.rater * len(weeks.names) + weeks.of_row, UNKNOWN)
        milliseconds = np.where(known, ratings.milliseconds, np.nan)
        kappas = kappa_sums_by(comparisons, group, n_groups)
        return cls(
            names=weeks.names,
            n=np.bincount(group[known], minlength=n_groups),
            bias=bias_by(comparisons, group, n_groups),
            with_others=estimated(kappas, quadratic_kappa, "kappa"),
            pace=pace_of(group, milliseconds, n_groups),
        )

    def rows_of(self, rater: int) -> list[dict[str, Any]]:
        """The weeks in which the rater graded, in order."""
        begin = rater * len(self.names)
        return [
            {
                "week": name,
                "n": int(self.n[group]),
                "bias": self.bias.at(group).as_json(),
                "with_others": self.with_others.at(group, fewest=FEWEST_FOR_KAPPA).as_json(),
                "median_s": _median(self.pace, group),
            }
            for group, name in enumerate(self.names, begin)
            if self.n[group]
        ]
