"""Which pairs the experts see: named by retrievers, users and chance; balanced, budgeted."""

from builder.pooling.plan import PoolPlan
from builder.pooling.recording import Pooling, Recorded, list_poolings, record_pooling
from builder.pooling.systems import pool, pool_job, preview, repeat_job, repeat_pooling
from builder.pooling.taking_back import take_back_pooling

__all__ = [
    "PoolPlan",
    "Pooling",
    "Recorded",
    "list_poolings",
    "pool",
    "pool_job",
    "preview",
    "record_pooling",
    "repeat_job",
    "repeat_pooling",
    "take_back_pooling",
]
