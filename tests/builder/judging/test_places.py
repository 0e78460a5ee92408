"""Stretches of numbers that are passed over, and the holes in them."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from builder.judging.places import Stretches

_numbers = st.integers(0, 20)
_operations = st.lists(
    st.tuples(st.just("add"), _numbers, _numbers) | st.tuples(st.just("remove"), _numbers),
    max_size=30,
)


@given(operations=_operations, start=_numbers, end=_numbers)
def test_stretches_are_a_set_of_numbers(
    operations: list[tuple[str, int, int] | tuple[str, int]], start: int, end: int
) -> None:
    stretches, numbers = Stretches(), set[int]()
    for operation in operations:
        match operation:
            case ("add", first, last):
                stretches.add(first, last)
                numbers |= set(range(first, last))
            case (_, number):
                stretches.remove(number)
                numbers.discard(number)
    gaps = list(stretches.gaps(start, end))
    assert [number for gap in gaps for number in range(*gap)] == [
        number for number in range(start, end) if number not in numbers
    ]
    # As few as can be: two that touch would be one search more.
    assert all(before[1] < after[0] for before, after in pairwise(gaps))


def test_gaps_are_as_they_were_when_asked() -> None:
    stretches = Stretches()
    stretches.add(3, 5)
    seen = []
    for gap in stretches.gaps(0, 10):
        stretches.add(*gap)
        seen.append(gap)
    assert seen == [(0, 3), (5, 10)]
    assert list(stretches.gaps(0, 10)) == []
