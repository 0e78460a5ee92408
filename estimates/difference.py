"""The mean of a finite set of which some were measured well and all badly."""

from collections.abc import Hashable, Sequence

from estimates.record import Estimate


def difference_estimate(
    synthetic: Sequence[float],
    human: Sequence[float | None],
    strata: Sequence[Hashable] | None = None,
) -> Estimate:
    """The mean of the human values of all units, estimated from the drawn ones.

    Args:
        synthetic: The cheap value of each of the N units.
        human: The value that counts, of the drawn units; None elsewhere.
        strata: Of each unit; None: simple random sampling.
    """
    raise NotImplementedError
