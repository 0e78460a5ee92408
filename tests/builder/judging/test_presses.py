from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.judging.presses import PressGuard


@pytest.mark.parametrize("gap_ms", [0, 30, 100, 300, 399])
def test_the_same_key_twice_is_one_press(gap_ms: int) -> None:
    guard = PressGuard()
    assert guard.accepts("2", 1000) is None
    reason = guard.accepts("2", 1000 + gap_ms)
    assert reason is not None
    assert "400 ms" in reason


@pytest.mark.parametrize(("gap_ms", "counts"), [(0, False), (149, False), (150, True)])
def test_another_key_counts_after_150_ms(gap_ms: int, counts: bool) -> None:
    guard = PressGuard()
    assert guard.accepts("3", 1000) is None
    assert (guard.accepts("1", 1000 + gap_ms) is None) is counts


def test_the_same_key_counts_after_400_ms() -> None:
    guard = PressGuard()
    assert guard.accepts("2", 1000) is None
    assert guard.accepts("2", 1400) is None


def test_a_swallowed_press_does_not_lengthen_the_wait() -> None:
    guard = PressGuard()
    guard.accepts("2", 1000)
    assert guard.accepts("2", 1300) is not None
    assert guard.accepts("2", 1400) is None


def test_a_slow_server_does_not_let_the_second_half_through() -> None:
    # Pressed twice at once, but the next pair came after 900 ms and the second press right then.
    guard = PressGuard()
    assert guard.accepts("2", 1000, shown_at_ms=0) is None
    assert guard.accepts("2", 1905, shown_at_ms=1900) is not None
    assert guard.accepts("1", 1910, shown_at_ms=1900) is not None
    assert guard.accepts("1", 2050, shown_at_ms=1900) is None


def test_the_first_press_counts_once_the_pair_was_seen() -> None:
    assert PressGuard().accepts("0", 50, shown_at_ms=0) is not None
    assert PressGuard().accepts("0", 150, shown_at_ms=0) is None


def test_a_clock_that_went_back_swallows_nothing() -> None:
    guard = PressGuard()
    guard.accepts("2", 1_000_000)
    assert guard.accepts("2", 10) is None


def test_the_workspace_may_set_other_times() -> None:
    guard = PressGuard(same_key_ms=50, other_key_ms=0)
    assert guard.accepts("2", 0) is None
    assert guard.accepts("3", 0) is None
    assert guard.accepts("3", 49) is not None


@given(
    st.lists(st.tuples(st.sampled_from("0123"), st.integers(0, 600)), min_size=1, max_size=30),
)
def test_accepted_presses_keep_their_distance(presses: list[tuple[str, int]]) -> None:
    guard, now, accepted = PressGuard(), 0, list[tuple[str, int]]()
    for key, gap in presses:
        now += gap
        if guard.accepts(key, now) is None:
            accepted.append((key, now))
    for (key, at), (next_key, next_at) in pairwise(accepted):
        assert next_at - at >= (400 if key == next_key else 150)
