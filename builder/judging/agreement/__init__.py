"""How far the raters agree, and what that number allows; pure functions of grades as columns."""

from builder.judging.agreement.disagreements import Disagreements, disagreements, disputed
from builder.judging.agreement.overall import agreement, agreement_of
from builder.judging.agreement.slices import slices
from builder.judging.agreement.two_sides import TwoSides, two_sides
from builder.judging.agreement.words import in_words

__all__ = [
    "Disagreements",
    "TwoSides",
    "agreement",
    "agreement_of",
    "disagreements",
    "disputed",
    "in_words",
    "slices",
    "two_sides",
]
