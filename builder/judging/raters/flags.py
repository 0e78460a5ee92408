"""What a lead should look at: raters whose grades stand out, and why. Flags never change a grade.

Each flag needs both: a difference that chance does not explain, and one that is large enough to
matter. What is compared leaves out couples of raters whose grades are copies.
"""

from dataclasses import asdict, dataclass
from typing import Final

import numpy as np

from builder.judging.agreement.copies import Copy
from builder.judging.raters import sentences
from builder.judging.raters.findings import Findings, findings_of
from builder.store.ratings import Ratings
from builder.store.repeats import Repeats
from estimates import wilson

FEWEST: Final = 20
"""Grades (shared pairs, known times) below which no flag is raised from them."""
FEWEST_REPEATS: Final = 10
KAPPA_BELOW: Final = 0.2
"""An outlier's kappa is at least so much below that of the rest."""
SHIFT: Final = 0.25
"""Grades that a lenient or strict rater is away from the middle rater."""
SURELY: Final = 0.1
"""Grades to which the interval of the difference from the others does not reach down."""
FASTER: Final = 4.0
"""Times faster than the middle one of the others is too fast."""
SECONDS: Final = 1.0
"""Faster than this is too fast where no other rater's times are known."""
ONE_GRADE: Final = 0.95
"""Share of one grade that is "one grade only" ..."""
OTHERS_GRADE: Final = 0.8
"""... where others gave that grade to at most this share of the same pairs."""


@dataclass(frozen=True, slots=True)
class Flag:
    """Why a rater should be looked at.

    Attributes:
        code: outlier, lenient, strict, too_fast, one_grade, copies or contradicts_self.
        sentence: The reason with its numbers, in words.
    """

    code: str
    sentence: str

    def as_json(self) -> dict[str, str]:
        """The keys code and sentence."""
        return asdict(self)


def flags_of(ratings: Ratings, repeats: Repeats | None = None) -> dict[str, list[Flag]]:
    """The flags of each rater, excluded ones too; an empty list for who stands out in nothing."""
    return flags_from(findings_of(ratings, Repeats() if repeats is None else repeats))


def flags_from(found: Findings) -> dict[str, list[Flag]]:
    """The flags of each rater, from what is known of them."""
    return {
        name: [flag for rule in _RULES if (flag := rule(found, rater, name))]
        for rater, name in enumerate(found.ratings.raters)
    }


def _outlier(found: Findings, rater: int, name: str) -> Flag | None:
    """The interval of the kappa with the others lies entirely below that of the rest."""
    own, rest = found.with_others.at(rater), found.the_rest[rater]
    if own.value is None or rest.value is None or own.n < FEWEST or rest.n < FEWEST:
        return None
    if own.high is None or rest.low is None:
        return None
    if own.high >= rest.low or rest.value - own.value < KAPPA_BELOW:
        return None
    return Flag("outlier", sentences.outlier(name, own, rest, int(found.on_shared[rater].sum())))


def _shifted(found: Findings, rater: int, name: str) -> Flag | None:
    """Grades higher or lower than the others, beyond what one odd colleague explains."""
    bias, level = found.bias.at(rater), float(found.level[rater])
    if bias.n < FEWEST or bias.low is None or bias.high is None:
        return None
    if level >= SHIFT and bias.low > SURELY:
        return Flag("lenient", sentences.shifted(name, bias))
    if level <= -SHIFT and bias.high < -SURELY:
        return Flag("strict", sentences.shifted(name, bias))
    return None


def _too_fast(found: Findings, rater: int, name: str) -> Flag | None:
    """A fourth of the time that the middle one of the others takes."""
    median, n = found.pace.median, found.pace.n
    if n[rater] < FEWEST:
        return None
    counted = found.comparisons.counts & (n >= FEWEST)
    counted[rater] = False
    others = float(np.median(median[counted])) if counted.any() else None
    limit = SECONDS if others is None else others / FASTER
    if median[rater] >= limit:
        return None
    return Flag("too_fast", sentences.too_fast(name, float(median[rater]), int(n[rater]), others))


def _one_grade(found: Findings, rater: int, name: str) -> Flag | None:
    """Nearly always the same grade, on pairs that others grade in more ways than one."""
    shared = found.on_shared[rater]
    n, grade = int(shared.sum()), int(shared.argmax())
    if n < FEWEST or shared[grade] < ONE_GRADE * n:
        return None
    others = float(found.of_others[rater, grade])
    if others > OTHERS_GRADE or found.bias.n_queries[rater] < 2:
        return None
    return Flag("one_grade", sentences.one_grade(name, grade, (int(shared[grade]), n), others))


def _copies(found: Findings, _rater: int, name: str) -> Flag | None:
    """Identical to another beyond honest agreement, and not known as the one who was copied."""
    copies = [copy for copy in found.comparisons.copies if _points_at(found, copy, name)]
    if not copies:
        return None
    return Flag("copies", sentences.copies(name, copies, found.comparisons.copies))


def _points_at(found: Findings, copy: Copy, name: str) -> bool:
    """Whether the copy speaks against this rater; what an excluded one did speaks against none."""
    if name not in copy.raters or copy.later not in (None, name):
        return False
    excluded = found.ratings.excluded
    return name in excluded or not any(other in excluded for other in copy.raters)


def _contradicts_self(found: Findings, rater: int, name: str) -> Flag | None:
    """Agrees with the own earlier grade less often than two different raters agree."""
    n, alike = (int(number) for number in found.repeats[rater])
    if n < FEWEST_REPEATS:
        return None
    share = wilson(alike, n)
    if share.high is None or not share.high < found.equal_among_others:
        return None
    return Flag("contradicts_self", sentences.contradicts(name, share, found.equal_among_others))


_RULES: Final = (_outlier, _shifted, _too_fast, _one_grade, _copies, _contradicts_self)
