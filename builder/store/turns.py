"""Turns in the order of asking, among the threads of one process.

SQLite lets whoever happens to look first write next; of ten raters who save at once one may wait
for seconds while others come again and again (ten threads, 3 ms a write: 3 s, .07 s with turns).
"""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class NoTurnError(TimeoutError):
    """The turn did not come in time."""


class Turns:
    """One thread at a time, first come, first served."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken = False
        self._waiting: deque[threading.Event] = deque()

    @contextmanager
    def turn(self, seconds: float) -> Iterator[None]:
        """Wait until it is this thread's turn, and have it until the block ends.

        Raises:
            NoTurnError: It did not come within so many seconds.
        """
        self._take(seconds)
        try:
            yield
        finally:
            self._pass_on()

    def _take(self, seconds: float) -> None:
        with self._lock:
            if not self._taken:
                self._taken = True
                return
            called = threading.Event()
            self._waiting.append(called)
        if called.wait(seconds):
            return
        with self._lock:
            if called in self._waiting:
                self._waiting.remove(called)
                raise NoTurnError(f"no turn within {seconds} s")

    def _pass_on(self) -> None:
        """Who waits longest is next; the turn is theirs before anybody new can take it."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._taken = False
