"""Which raters' grades are copies: identical beyond what chance and honest agreement allow.

Two honest raters agree by chance c and, beyond that, by what both see in the document. Each rater
has a strength r in 0..1, and two of them give the same grade with probability c + (1 - c) * r_a *
r_b. The strengths come from the agreement with everybody else (least squares, the two in question
left out), so that good raters may agree more than poor ones. Where nobody else tells a rater's
strength, chance-corrected agreement of CEILING is taken as the best that honest raters reach.

Two raters are named when so many equal grades would come about in fewer than 2 of 100 workspaces
with honest raters only, their grades are equal in nearly all pairs, and they differ at most half as
often as honest raters would. A rater who copies everybody shows no single such couple where each
overlap is small; its overlaps are therefore tested together too. And who copies what is there
already grades the other pairs honestly; the pairs that one graded after the other are therefore
tested by themselves too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from builder.judging.agreement.meetings import (
    Meetings,
    meetings_of,
    tables_by_raters,
    tables_in_time,
)
from builder.store.ratings import Ratings

CEILING = 0.9
"""Chance-corrected agreement (a nominal kappa) above which nobody grades independently."""
NEARLY_ALL = 0.9
"""Share of equal grades from which a couple of raters is looked at."""
FEWEST = 10
"""Shared pairs below which a couple of raters is judged only together with others."""
FALSE_ALARM = 0.02
"""Chance of naming anybody in a workspace of honest raters."""
CLEARLY_LATER = 0.75
"""Share of the pairs with times in which the copier graded after the other."""

Matrix = NDArray[np.float64]
"""Shape (raters, raters), symmetric."""
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Copy:
    """Two raters whose grades are no independent evidence.

    Attributes:
        raters: Their names, in alphabetical order.
        n: Pairs that both graded; with `in_time` those that `later` graded after the other.
        identical: Pairs among them to which both gave the same grade.
        later: The one who copied, by the times: who graded after the other nearly every time, or
            gave the same grades only there. None where times are missing or do not tell.
        expected: How many of the n honest raters would have graded alike.
        with_others: Whether the evidence is one rater's overlap with several others together.
        in_time: Whether only the pairs that `later` graded after the other are alike.
    """

    raters: tuple[str, str]
    n: int
    identical: int
    later: str | None
    expected: float
    with_others: bool = False
    in_time: bool = False


@dataclass(frozen=True, slots=True)
class _Overlaps:
    """Each two raters: shared pairs, equal grades, and how many of these chance would give.

    Symmetric, or in time: then entry [a, b] is of the pairs that b graded after a.
    """

    n: Matrix
    equal: Matrix
    by_chance: Matrix

    @property
    def beyond_chance(self) -> Matrix:
        """Chance-corrected agreement, (p - c) / (1 - c); 0 where there is none to see."""
        room = self.n - self.by_chance
        blank = np.zeros_like(self.n)
        return np.divide(self.equal - self.by_chance, room, out=blank, where=room > 0)

    @property
    def nearly_all(self) -> Mask:
        """Which couples gave the same grade nearly every time."""
        return (self.n > 0) & (self.equal >= NEARLY_ALL * self.n)


@dataclass(frozen=True, slots=True)
class _Named:
    """Couples that are copies by one kind of evidence, and the equal grades expected of each."""

    found: Mask
    expected: Matrix

    def without(self, *others: "_Named") -> "_Named":
        """Less those that are named anyway."""
        anyway = np.logical_or.reduce([other.found for other in others])
        return _Named(self.found & ~anyway, self.expected)


def find_copies(ratings: Ratings) -> list[Copy]:
    """The raters whose grades are copies of each other, those with most equal grades first.

    Raters that are excluded are left out: they bear witness neither for nor against others.

    Args:
        ratings: Grades of people, in any number.

    Returns:
        Each two raters once; empty where nobody is under suspicion.
    """
    meetings = _counted(ratings, meetings_of(ratings))
    if not len(meetings):
        return []
    overlaps = _overlaps(ratings, tables_by_raters(ratings, meetings))
    in_time = _overlaps(ratings, tables_in_time(ratings, meetings))
    single = _single_couples(overlaps)
    hubs = _hubs(overlaps, single.found)
    after = _couples_in_time(overlaps, in_time).without(single, hubs)
    copied = _copied(overlaps, in_time)
    found = [
        *_copies(ratings.raters, overlaps, single, copied),
        *_copies(ratings.raters, overlaps, hubs, copied, with_others=True),
        *_copies(ratings.raters, in_time, after, copied, in_time=True),
    ]
    return sorted(found, key=lambda copy: (-copy.identical, copy.raters))


def _copies(
    names: Sequence[str], overlaps: _Overlaps, named: _Named, copied: Mask, **how: bool
) -> Iterator[Copy]:
    for a, b in _places(named.found):
        if a > b and named.found[b, a]:
            continue  # the same two again
        later = names[b] if copied[a, b] else names[a] if copied[b, a] else None
        one, other = sorted((names[a], names[b]))
        n, equal, expected = (of[a, b] for of in (overlaps.n, overlaps.equal, named.expected))
        yield Copy((one, other), int(n), int(equal), later, float(expected), **how)


def _places(mask: Mask) -> list[tuple[int, int]]:
    """Where it is true."""
    return [(int(a), int(b)) for a, b in zip(*np.nonzero(mask), strict=True)]


def _counted(ratings: Ratings, meetings: Meetings) -> Meetings:
    """The meetings of two raters who count."""
    counts = _counts(ratings)
    if counts.all():
        return meetings
    of_row = counts[ratings.rater]
    both = of_row[meetings.one] & of_row[meetings.other]
    return Meetings(meetings.one[both], meetings.other[both])


def _counts(ratings: Ratings) -> Mask:
    return np.array([name not in ratings.excluded for name in ratings.raters], dtype=bool)


def _overlaps(ratings: Ratings, tables: NDArray[np.int64]) -> _Overlaps:
    """Chance gives grade g to an honest rater as often as all who count give it."""
    given = np.bincount(ratings.grade[_counts(ratings)[ratings.rater]], minlength=tables.shape[-1])
    by_both = (tables.sum(axis=-1) + tables.sum(axis=-2)) / 2.0
    return _Overlaps(
        n=tables.sum(axis=(-2, -1)).astype(float),
        equal=np.trace(tables, axis1=-2, axis2=-1).astype(float),
        by_chance=by_both @ (given / given.sum()),
    )


def _single_couples(overlaps: _Overlaps) -> _Named:
    """Couples whose own overlap is evidence enough."""
    suspect = np.triu(overlaps.nearly_all & (overlaps.n >= FEWEST))
    one_way = _tested(overlaps, overlaps, suspect, int(np.count_nonzero(np.triu(overlaps.n))))
    return _Named(one_way.found | one_way.found.T, one_way.expected + one_way.expected.T)


def _couples_in_time(overlaps: _Overlaps, in_time: _Overlaps) -> _Named:
    """The same of the pairs that b graded after a, where those that a graded after b differ."""
    return _tested(overlaps, in_time, _follows(in_time), int(np.count_nonzero(in_time.n)))


def _tested(overlaps: _Overlaps, tested: _Overlaps, suspect: Mask, n_tests: int) -> _Named:
    """Which of the suspects are copies.

    Strengths come from `overlaps`, the couple in question left out; equal grades from `tested`.
    """
    found, expected = np.zeros_like(suspect), np.zeros_like(tested.n)
    witnesses = _witnesses(overlaps)
    for a, b in _places(suspect):
        used = witnesses.copy()
        used[a, b] = used[b, a] = 0.0
        strength, variance = _strengths(overlaps.beyond_chance, used)
        best = _of_two(strength, variance, a, b)
        chance, expected[a, b] = _chance_of_so_many(tested, [(a, b)], [best])
        found[a, b] = _is_beyond(tested, [(a, b)], expected[a, b], chance * n_tests)
    return _Named(found, expected)


def _witnesses(overlaps: _Overlaps) -> Matrix:
    """Weights with which couples tell strengths: their shared pairs, 0 for those under suspicion.

    Where nearly all of a rater's overlaps are equal, they tell after all: such a team just agrees.
    """
    sound = np.where(overlaps.nearly_all, 0.0, overlaps.n)
    known = sound.sum(axis=1) >= FEWEST
    both_known = known[:, None] & known[None, :]
    return np.where(overlaps.nearly_all & ~both_known, overlaps.n, sound)


def _strengths(beyond_chance: Matrix, weights: Matrix) -> tuple[Matrix, Matrix]:
    """Each rater's strength and its variance, infinite where nothing tells it; shape (raters,).

    Alternating least squares of r_a * r_b against the chance-corrected agreement.
    """
    strength = np.ones(len(weights))
    for _ in range(30):
        evidence = weights @ strength**2
        fitted = (weights * beyond_chance) @ strength
        new = np.divide(fitted, evidence, out=np.ones_like(strength), where=evidence > 0)
        strength = (strength + np.clip(new, 0.05, 1.0)) / 2.0
    evidence = weights @ strength**2
    spread = np.full(len(weights), np.inf)
    return strength, np.divide(_NOISE, evidence, out=spread, where=evidence > 0)


_NOISE = 0.5
"""Variance of one meeting's chance-corrected agreement: p (1 - p) / (1 - c)^2 at p .7, c .35."""


def _of_two(strength: Matrix, variance: Matrix, a: int, b: int) -> tuple[float, float]:
    """Chance-corrected agreement expected of two raters, and its standard error."""
    if not np.isfinite(variance[a] + variance[b]):
        return CEILING, 0.0
    error = strength[a] ** 2 * variance[b] + strength[b] ** 2 * variance[a]
    return min(CEILING, float(strength[a] * strength[b])), float(np.sqrt(error))


_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(11)


def _chance_of_so_many(
    overlaps: _Overlaps, couples: list[tuple[int, int]], best: list[tuple[float, float]]
) -> tuple[float, float]:
    """Probability that honest raters give as many equal grades; and how many are expected.

    A binomial tail, averaged over what is not known of the strengths.
    """
    from scipy.special import betainc

    n, equal = _sums(overlaps, couples)
    value, error = np.array(best).T
    agreed = np.clip(value + _NODES[:, None] * error, 0.0, CEILING)
    by_chance = np.array([overlaps.by_chance[couple] for couple in couples])
    room = np.array([overlaps.n[couple] for couple in couples]) - by_chance
    share = (by_chance + agreed * room).sum(axis=1) / n
    weights = _WEIGHTS / _WEIGHTS.sum()
    # P(X >= k) of a binomial is the incomplete beta function I_p(k, n - k + 1); k is never 0 here.
    tail = betainc(equal, n - equal + 1.0, np.minimum(share, 1.0))
    return float(weights @ tail), float(weights @ share * n)


def _sums(overlaps: _Overlaps, couples: list[tuple[int, int]]) -> tuple[float, float]:
    places = tuple(np.array(couples).T)
    return float(overlaps.n[places].sum()), float(overlaps.equal[places].sum())


def _is_beyond(
    overlaps: _Overlaps, couples: list[tuple[int, int]], expected: float, chance: float
) -> bool:
    n, equal = _sums(overlaps, couples)
    return chance < FALSE_ALARM and n - equal <= (n - expected) / 2.0


def _hubs(overlaps: _Overlaps, single: Mask) -> _Named:
    """Couples of a rater whose overlaps with several others are evidence only together.

    The rater in question is taken to be as strong as can be.
    """
    found, expected = np.zeros_like(single), np.zeros_like(overlaps.n)
    rest = overlaps.nearly_all & ~single
    several = rest.any(axis=1) & (rest.sum(axis=1) + single.sum(axis=1) > 1)
    n, equal = (np.where(single, 0.0, of).sum(axis=1) for of in (overlaps.n, overlaps.equal))
    for a in np.flatnonzero(several & (equal >= NEARLY_ALL * n)):
        partners = np.flatnonzero((overlaps.n[a] > 0) & ~single[a])
        used = np.where(single, 0.0, overlaps.n)
        used[a] = used[:, a] = 0.0
        strength, variance = _strengths(overlaps.beyond_chance, used)
        strength[a], variance[a] = 1.0, 0.0
        couples = [(int(a), int(b)) for b in partners]
        best = [_of_two(strength, variance, *couple) for couple in couples]
        chance, together = _chance_of_so_many(overlaps, couples, best)
        if _is_beyond(overlaps, couples, together, chance * len(single)):
            alike = rest[a]
            found[a, alike] = found[alike, a] = True
            share = together / overlaps.n[a, partners].sum()
            expected[a, alike] = expected[alike, a] = share * overlaps.n[a, alike]
    return _Named(found, expected)


def _follows(in_time: _Overlaps) -> Mask:
    """Where b gave what a had given, and a did not give what b had given."""
    enough = np.minimum(in_time.n, in_time.n.T) >= FEWEST
    return in_time.nearly_all & ~in_time.nearly_all.T & enough


def _copied(overlaps: _Overlaps, in_time: _Overlaps) -> Mask:
    """Where b is the copier, if the two are copies: [b, a] is never true beside [a, b].

    Either b's grades are a's where b was later, and only there; or b was later nearly every time,
    in at least half of the pairs.
    """
    follows = _follows(in_time)
    both = in_time.n + in_time.n.T
    always = (in_time.n >= CLEARLY_LATER * both) & (2.0 * both >= overlaps.n) & (both > 0)
    return follows | (always & ~follows.T)
