"""What builder, evals and online share about numbers: estimates with intervals, and tallies.

Pure: no storage, no network, no data frame.
"""

from estimates.holm import holm
from estimates.intervals import mean_interval, wilson
from estimates.record import Estimate, finite_or_none
from estimates.tally import ImportTally

__all__ = ["Estimate", "ImportTally", "finite_or_none", "holm", "mean_interval", "wilson"]
