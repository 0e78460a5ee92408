"""Where a command writes, when whoever reads has gone: `goldsmith ab A B --guard | head -1`."""

import io
import sys
from typing import Any


class _Pipe(io.FileIO):
    """A file descriptor that outlives its reader: what comes later goes nowhere."""

    def write(self, data: Any, /) -> int:
        """How many bytes were written, or would have been; other errors are raised as ever."""
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes


def outlive_readers() -> None:
    """Go on to the end when nobody reads stdout or stderr any more.

    A command then does all that it was told, such as the imports of further files, and ends with
    its own exit code: that a reader has seen enough is no error of the command.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        # Closed, or put there by somebody else, such as a test.
        if isinstance(stream, io.TextIOWrapper) and stream is getattr(sys, f"__{name}__"):
            setattr(sys, name, _outliving(stream))


def _outliving(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Pipe(stream.fileno(), "wb", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
