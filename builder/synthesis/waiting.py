"""Tasks that wait to be asked for, shared by the threads of a run; some only from a moment on."""

import heapq
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Condition, Event

from builder.synthesis.tasks import TaskSpec

_LOOK_SECONDS = 0.1


@dataclass(slots=True)
class Task:
    """One task of a run, as far as this session has come with it.

    Attributes:
        task_id: The store's key.
        spec: What is asked for now; shorter than at first where it was too long for the model.
        attempts: How often it was asked for in all sessions.
        outcomes: Outcome -> how often in this session.
        answered_badly: How often, of these, the model gave an answer that is of no use; the seed of
            the next request.
    """

    task_id: int
    spec: TaskSpec
    attempts: int
    outcomes: Counter[str] = field(default_factory=Counter)
    answered_badly: int = 0


class WaitingTasks:
    """The queue of a session.

    At first only one task is out at a time, until `open_up`: while nobody knows whether a server
    takes our requests at all, one of them is enough to find out.
    """

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._heap = [(0.0, task.spec.position, task) for task in tasks]
        heapq.heapify(self._heap)
        self._out = 0
        self._is_open = False
        self._changed = Condition()

    def open_up(self) -> None:
        """Let any number of tasks be out at once."""
        with self._changed:
            self._is_open = True
            self._changed.notify_all()

    def take(self, stop: Event) -> Task | None:
        """The next task, which is out until `put_back` or `done`; waits until there is one.

        None where none waits and none is out that might come back, or `stop` was set.
        """
        with self._changed:
            while not stop.is_set() and (self._heap or self._out):
                pause = self._pause()
                if pause <= 0:
                    self._out += 1
                    return heapq.heappop(self._heap)[2]
                self._changed.wait(pause)
        return None

    def put_back(self, task: Task, seconds: float = 0.0) -> None:
        """Let a task that is out wait again, at least for so long."""
        with self._changed:
            due = time.monotonic() + seconds if seconds else 0.0
            heapq.heappush(self._heap, (due, task.spec.position, task))
            self._give_up_place()

    def done(self) -> None:
        """A task that was out needs nothing more in this session."""
        with self._changed:
            self._give_up_place()

    def _give_up_place(self) -> None:
        self._out -= 1
        self._changed.notify_all()

    def _pause(self) -> float:
        """Seconds to wait before looking again; 0 where a task may be taken."""
        if not self._heap or (self._out and not self._is_open):
            return _LOOK_SECONDS
        return min(max(0.0, self._heap[0][0] - time.monotonic()), _LOOK_SECONDS)
