"""How many requests are on their way at once, and how long all wait when a server says so.

Additive increase, multiplicative decrease, as TCP does it (Chiu and Jain 1989): each answer that
the server gives in time lets a little more through, each "too many requests" halves it.
"""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds to wait after a refusal that names no time; each further one doubles them."""
_LOOK_AGAIN = 0.02


class Limiter:
    """Slots for requests, shared by all threads of a run.

    Attributes:
        concurrency: The most requests at once; what is let through now is between 1 and this.
    """

    def __init__(self, concurrency: int) -> None:
        if concurrency < 1:
            raise ValueError("at least one request at once")
        self.concurrency = concurrency
        self._lock = Lock()
        self._allowed = float(concurrency)
        self._in_flight = 0
        self._closed_until = 0.0
        self._refusals = 0

    @contextmanager
    def slot(self, stop: Event) -> Iterator[bool]:
        """Wait until a request may go out; what is yielded says whether it may.

        True: a slot is held until the block ends. False: `stop` was set, nothing is held, and no
        request may be sent.
        """
        held = self._wait(stop)
        try:
            yield held
        finally:
            if held:
                with self._lock:
                    self._in_flight -= 1

    def slow_down(self, retry_after: float | None = None) -> float:
        """The server wants fewer requests: let half as many through, and none for a while.

        Refusals that come while all wait already, of requests that were on their way, lengthen the
        wait and halve nothing.

        Args:
            retry_after: Seconds that the server named; None: a growing time, with some chance in
                it so that several runs do not come back together.

        Returns:
            Seconds from now until the next request may go out.
        """
        with self._lock:
            now = time.monotonic()
            if now >= self._closed_until:
                self._allowed = max(1.0, self._allowed / 2)
                self._refusals += 1
            pause = self._own_pause() if retry_after is None else max(0.0, retry_after)
            self._closed_until = max(self._closed_until, now + pause)
            return self._closed_until - now

    def ease(self) -> None:
        """An answer came in time: let a little more through."""
        with self._lock:
            self._refusals = 0
            self._allowed = min(float(self.concurrency), self._allowed + 1 / self._allowed)

    @property
    def allowed(self) -> int:
        """How many requests may be on their way at once now."""
        return int(self._allowed)

    @property
    def pause_left(self) -> float:
        """Seconds until requests may go out again; 0 where they may."""
        return max(0.0, self._closed_until - time.monotonic())

    def _own_pause(self) -> float:
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** max(0, self._refusals - 1))
        return pause * random.uniform(0.75, 1.0)

    def _wait(self, stop: Event) -> bool:
        while not stop.is_set():
            if self._take():
                return True
            stop.wait(max(_LOOK_AGAIN, min(self.pause_left, 1.0)))
        return False

    def _take(self) -> bool:
        with self._lock:
            if time.monotonic() < self._closed_until or self._in_flight >= int(self._allowed):
                return False
            self._in_flight += 1
            return True
