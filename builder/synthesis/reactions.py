"""What follows from the outcome of a call: nothing is asked for again without bound."""

from dataclasses import dataclass
from threading import Lock
from typing import Literal, TypeAlias

from builder.synthesis.llm import next_rung

Step: TypeAlias = Literal["answered", "again", "shorter", "failed", "left", "stop"]
"""What becomes of a task: answered; asked for again; again with less text; failed (given up); left
to another session; left, and the run stops."""

TRIES = {
    "refused": 1,
    "truncated": 3,
    "bad_json": 3,
    "empty": 3,
    "context_overflow": 6,
    "rate_limited": 8,
    "server": 4,
    "timeout": 3,
    "unreachable": 8,
}
"""How often a task may come to this in one session."""
BAD_ANSWERS = frozenset({"refused", "truncated", "bad_json", "empty"})
"""The model answered, and the same question with the same seed would get the same."""
_FAILED_FOR_GOOD = BAD_ANSWERS | {"context_overflow"}
STOPPING = frozenset({"quota", "rejected"})
FAILURES_IN_A_ROW = 10
"""So many failed calls, besides those that were on their way, stop a run: something is wrong."""
UNREACHABLE_IN_A_ROW = 4
"""So many connections that were not made do; with the pauses between, a server may start anew."""
LONGEST_WAIT_SECONDS = 600.0
"""A server that wants to be left alone for longer stops the run."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 8.0
BAD_JSON_BEFORE_NEXT_RUNG = 3


def step_after(outcome: str, times: int) -> Step:
    """What becomes of a task.

    Args:
        outcome: Of its call; not "unsupported".
        times: How often it has come to this in this session, this time included.
    """
    if outcome == "ok":
        return "answered"
    if outcome in STOPPING:
        return "stop"
    if times < TRIES.get(outcome, 1):
        return "shorter" if outcome == "context_overflow" else "again"
    return "failed" if outcome in _FAILED_FOR_GOOD else "left"


def pause_before(outcome: str, times: int) -> float:
    """Seconds before a task is asked for again after a fault of the server: .5, 1, 2 … up to 8.

    Args:
        outcome: What came of it.
        times: How often, this time included.
    """
    if outcome not in ("server", "timeout", "unreachable"):
        return 0.0
    return float(min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (times - 1)))


class Failures:
    """Counts failed calls in a row, over all threads."""

    def __init__(self, concurrency: int) -> None:
        self._most = FAILURES_IN_A_ROW + concurrency
        self._row = 0
        # Until a server was reached only one call is on its way at a time.
        self._most_unreachable = UNREACHABLE_IN_A_ROW
        self._concurrency = concurrency
        self._unreachable = 0
        self._lock = Lock()

    def stop_for(self, outcome: str) -> Literal["failures", "unreachable"] | None:
        """Why this outcome makes it too many; None where it does not."""
        with self._lock:
            self._row = 0 if outcome == "ok" else self._row + 1
            self._unreachable = self._unreachable + 1 if outcome == "unreachable" else 0
            if outcome != "unreachable":
                self._most_unreachable = UNREACHABLE_IN_A_ROW + self._concurrency
            if self._unreachable >= self._most_unreachable:
                return "unreachable"
            return "failures" if self._row >= self._most else None

    @property
    def unreachable(self) -> int:
        """How many connections in a row were not made."""
        return self._unreachable


@dataclass(slots=True)
class Ladder:
    """The rung by which a session asks for JSON; a server that knows none of a kind leads down.

    Attributes:
        rung: json_schema, json_object or plain.
        works: Whether an answer of our form came by it.
    """

    rung: str
    works: bool = False
    bad: int = 0

    def note_good(self, rung: str) -> bool:
        """An answer of our form came by this rung; whether that is news."""
        if rung != self.rung or self.works:
            return False
        self.works = True
        return True

    def note_bad(self, rung: str) -> None:
        """An answer that is no JSON of our form came: servers may ignore what they do not know."""
        if rung != self.rung or self.works:
            return
        self.bad += 1
        if self.bad >= BAD_JSON_BEFORE_NEXT_RUNG:
            self.step_down(rung)

    def step_down(self, rung: str) -> bool:
        """Leave this rung for the next; False where there is none.

        Another thread may have left it before.
        """
        if rung != self.rung:
            return True
        following = next_rung(rung)
        if following is None:
            return False
        self.rung, self.works, self.bad = following, False, 0
        return True
