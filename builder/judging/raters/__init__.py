"""Raters: what each did, how it compares with the others, and what a lead should look at."""

from builder.judging.raters.flags import Flag, flags_of
from builder.judging.raters.profiles import rater_profiles

__all__ = ["Flag", "flags_of", "rater_profiles"]
