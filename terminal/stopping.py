"""Ctrl-C, whatever a library makes of it.

Who presses it gets a KeyboardInterrupt somewhere. DuckDB makes a RuntimeError of that, and so does
Python itself while a class is made, as in an import. So what counts is that somebody stopped the
command, not which error came of it.
"""

import contextlib
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Final

MESSAGE: Final = "stopped"


class StoppedMidway(KeyboardInterrupt):
    """Somebody stopped a command whose work so far stands.

    Args:
        hint: How it goes on, in a sentence.
    """

    def __init__(self, hint: str) -> None:
        super().__init__(hint)
        self.hint = hint


def hint_of(stopped: BaseException) -> str | None:
    """How the work goes on, where the command said so; click hides what stopped it as a cause."""
    for error in (stopped, stopped.__cause__):
        if isinstance(error, StoppedMidway):
            return error.hint
    return None


@dataclass(slots=True)
class Stop:
    """Whether somebody asked the command to stop.

    Attributes:
        asked: True from the first Ctrl-C on.
    """

    asked: bool = False

    def ask(self, number: int, frame: FrameType | None) -> None:
        """Hear the signal, and raise KeyboardInterrupt as Python does."""
        self.asked = True
        signal.default_int_handler(number, frame)


@contextlib.contextmanager
def heard_stop(*, to_the_end: bool) -> Iterator[Stop]:
    """Hear Ctrl-C as long as this is open, where Python would.

    Not where it is ignored, as in a background job of a shell, nor in a thread.

    Args:
        to_the_end: The process ends behind this: it then hears no second Ctrl-C, which could only
            tear its farewell, and the first one ends it without a word.
    """
    stop = Stop()
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield stop
        return
    try:
        signal.signal(signal.SIGINT, stop.ask)
    except ValueError:  # not the main thread: only that one hears signals
        yield stop
        return
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, _behind(stop) if to_the_end else signal.default_int_handler)


def _behind(stop: Stop) -> signal.Handlers:
    return signal.SIG_IGN if stop.asked else signal.SIG_DFL
