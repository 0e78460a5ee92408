"""Which pairs the experts see: what retrievers rank high, and what a rater found in the corpus."""

from builder.pooling.systems import pool, pool_job

__all__ = ["pool", "pool_job"]
