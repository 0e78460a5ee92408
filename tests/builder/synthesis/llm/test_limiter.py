"""How many requests are on their way at once, and how long all wait."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from builder.synthesis.llm import Limiter

GOING_ON = threading.Event()


def test_no_more_than_allowed_are_on_their_way() -> None:
    limiter, lock, now, most = Limiter(3), threading.Lock(), 0, 0

    def request(_: int) -> None:
        nonlocal now, most
        with limiter.slot(GOING_ON) as held:
            assert held
            with lock:
                now += 1
                most = max(most, now)
            time.sleep(0.01)
            with lock:
                now -= 1

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(request, range(16)))
    assert most == 3


def test_too_fast_halves_once_and_answers_bring_it_back() -> None:
    limiter = Limiter(8)
    assert limiter.slow_down(60) == 60
    limiter.slow_down(1)  # it was on its way when the server said so the first time
    assert limiter.allowed == 4
    limiter._closed_until = 0.0  # as if it had passed
    limiter.slow_down(0.0)
    assert limiter.allowed == 2
    for _ in range(40):
        limiter.ease()
    assert limiter.allowed == 8


def test_it_never_goes_below_one() -> None:
    limiter = Limiter(2)
    for _ in range(5):
        limiter.slow_down(0.0)
    assert limiter.allowed == 1
    with limiter.slot(GOING_ON) as held:
        assert held


def test_all_wait_until_the_time_that_the_server_named() -> None:
    limiter = Limiter(2)
    started = time.monotonic()
    limiter.slow_down(0.15)
    limiter.slow_down(0.01)
    assert 0 < limiter.pause_left <= 0.15
    with limiter.slot(GOING_ON):
        assert time.monotonic() - started >= 0.15
    assert limiter.pause_left == 0


def test_without_a_time_the_wait_doubles_up_to_a_minute() -> None:
    limiter = Limiter(1)
    pauses = []
    for _ in range(9):
        pauses.append(limiter.slow_down())
        limiter._closed_until = 0.0  # as if it had passed
    for n, pause in enumerate(pauses):
        longest = min(60.0, 2.0**n)
        assert 0.75 * longest - 0.01 <= pause <= longest
    limiter.ease()
    assert limiter.slow_down() <= 1.0


@pytest.mark.parametrize("why", ["pause", "no slot"])
def test_a_stop_ends_a_wait_at_once_and_holds_nothing(why: str) -> None:
    limiter, stop = Limiter(1), threading.Event()
    timer = threading.Timer(0.05, stop.set)
    with ExitStack() as taken:
        if why == "pause":
            limiter.slow_down(3600)
        else:
            taken.enter_context(limiter.slot(GOING_ON))
        timer.start()
        started = time.monotonic()
        with limiter.slot(stop) as held:
            assert not held
            assert time.monotonic() - started < 2
        assert limiter._in_flight == (0 if why == "pause" else 1)
    timer.join()


def test_a_slot_is_given_back_though_its_block_fails() -> None:
    limiter = Limiter(1)
    with pytest.raises(KeyError), limiter.slot(GOING_ON):
        raise KeyError
    with limiter.slot(GOING_ON) as held:
        assert held
