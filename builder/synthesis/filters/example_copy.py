"""The query is one of the examples that the model was shown, more or less."""

from collections.abc import Iterable
from typing import Final

from builder.store.synthetic_queries import Finding
from builder.synthesis.filters.grams import grams, jaccard

MOST: Final = 0.6
"""Shared character 3-grams, of all that either has; above that it is a copy."""


def example_copy(text: str, examples: Iterable[str]) -> Finding | None:
    """Whether it copies an example.

    Args:
        text: The query.
        examples: Texts of the queries that were shown.
    """
    own = grams(text)
    alike = [(jaccard(own, grams(example)), example) for example in examples]
    share, example = max(alike, default=(0.0, ""))
    if share <= MOST:
        return None
    return Finding("example_copy", f"{share:.0%} like the example {example!r} that was shown")
