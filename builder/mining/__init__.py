"""From a log of searches to the queries that are worth judging, and to what clicks say of pairs."""

from builder.mining.mining import list_samplings, mine, mine_job, repeat, sample_of
from builder.mining.options import Sampling
from builder.mining.taking_back import take_back_sampling

__all__ = [
    "Sampling",
    "list_samplings",
    "mine",
    "mine_job",
    "repeat",
    "sample_of",
    "take_back_sampling",
]
