"""Which pairs the experts see: named by retrievers, users and chance; balanced, budgeted."""

from builder.pooling.plan import PoolPlan
from builder.pooling.recording import Pooling, Recorded, find_pooling, list_poolings, record_pooling
from builder.pooling.systems import (
    pool,
    pool_job,
    preview,
    preview_job,
    repeat_job,
    repeat_pooling,
)
from builder.pooling.taking_back import take_back_pooling

__all__ = [
    "PoolPlan",
    "Pooling",
    "Recorded",
    "find_pooling",
    "list_poolings",
    "pool",
    "pool_job",
    "preview",
    "preview_job",
    "record_pooling",
    "repeat_job",
    "repeat_pooling",
    "take_back_pooling",
]
