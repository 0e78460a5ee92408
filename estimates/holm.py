"""Holm's correction: several tests at once, and still at most 5 % false alarms among them."""

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The p-values of m tests, adjusted together; as many as were given, in their order.

    The i-th smallest becomes max over j <= i of (m - j + 1) p(j), at most 1. Holm (1979), A simple
    sequentially rejective multiple test procedure; the same as R's p.adjust(method = "holm").

    Args:
        p_values: One a test, each in [0, 1]; None where a test could not be made, which then does
            not count among the m.

    Raises:
        ValueError: A p-value is not in [0, 1].
    """
    made = [(p, place) for place, p in enumerate(p_values) if p is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(sorted(made)):
        if not 0 <= p <= 1:
            raise ValueError(f"a p-value is {p}, must be between 0 and 1")
        highest = max(highest, min(1.0, (len(made) - rank) * p))
        adjusted[place] = highest
    return adjusted
