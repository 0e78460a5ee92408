"""Many rows at a time, but not all: a statement takes only so many values."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in their order, `size` at a time, the last ones perhaps fewer."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
